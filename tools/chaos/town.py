"""The nodes' network namespace: their servers, and faults of the path to them."""
import json
import subprocess
import sys
from pathlib import Path

import certificates
from child import end
from console import Failure
from lab import Lab
from oracle import Node

HERE = Path(__file__).resolve().parent
SERVER_LINK, TOWN_LINK, DELAY_LINK = "nct0", "nct1", "ncd0"
SERVER_END, TOWN_END = "198.19.0.1", "198.19.0.2"
NODES = "198.18.0.0/16"
DELAY_TABLE = 100
# `gone`: nothing comes through. `filtered`: no port does. `mute`: nothing comes back. `refused`: a router says so.
RULES = """
table ip chaos {
  set gone { type ipv4_addr; }
  set filtered { type ipv4_addr; }
  set refused { type ipv4_addr; }
  set mute { type ipv4_addr; }
  chain arriving {
    type filter hook input priority 0;
    ip daddr @gone drop
    ip daddr @filtered meta l4proto { tcp, udp } drop
    ip daddr @refused reject with icmp type host-unreachable
  }
  chain leaving {
    type filter hook output priority 0;
    ip saddr @mute drop
  }
}
"""


class Program:
    """A Python program in the town, which carries out lines of JSON, and repeats each line when it is done."""

    def __init__(self, namespace: Path, name: str, *arguments):
        command = ["nsenter", f"--net={namespace}", "--", sys.executable, HERE / name, *map(str, arguments)]
        self._name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)
        if self.process.stdout.readline() != "ready\n":
            raise Failure(f"{name} did not start")

    def tell(self, **what) -> None:
        line = json.dumps(what) + "\n"
        self.process.stdin.write(line)
        self.process.stdin.flush()
        if self.process.stdout.readline() != line:
            raise Failure(f"{self._name} did not carry out: {line.strip()}")

    def close(self) -> None:
        end(self.process)


class Town:
    """The namespace PREFIX-nod, joined to the daemon's by a link of its own, while a `with` block runs. `serve` starts the nodes'
    servers."""

    def __init__(self, lab: Lab, nodes: list[Node], folder: Path, serve: bool = True):
        self.lab, self.nodes, self.folder, self._serves = lab, nodes, folder, serve
        self.namespace = Path("/run/netns") / f"{lab.prefix}-nod"
        self._programs: list[Program] = []
        self._delay: Program | None = None

    def __enter__(self) -> "Town":
        try:
            self._build()
            if self._serves:
                certificates.make(self.folder)
                self.servers = self._start("node_servers.py", self.folder, *(node.address(4) for node in self.nodes))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for program in self._programs:
            program.close()
        if self.namespace.exists():
            subprocess.run(["ip", "netns", "del", self.namespace.name], check=True)

    def _start(self, name: str, *arguments) -> Program:
        program = Program(self.namespace, name, *arguments)
        self._programs.append(program)
        return program

    def _run(self, *command, input: str | None = None) -> None:
        subprocess.run(["nsenter", f"--net={self.namespace}", "--", *map(str, command)], input=input, text=True,
                       check=True)

    def _build(self) -> None:
        srv, nod = self.lab.namespace("srv").name, self.namespace.name
        if self.namespace.exists():
            raise Failure(f"{nod} exists: remove it with `ip netns del {nod}`, or choose another --prefix")
        subprocess.run(["ip", "netns", "add", nod], check=True)
        for setting in ("rp_filter", "accept_local"):
            value = 0 if setting == "rp_filter" else 1
            self._run("sh", "-c", f"for f in all default; do echo {value} >/proc/sys/net/ipv4/conf/$f/{setting}; done")
        self._run("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward; echo 4096 >/proc/sys/net/core/somaxconn")
        # Packets of a thousand checks come in bursts.
        subprocess.run(["ip", "link", "add", SERVER_LINK, "netns", srv, "type", "veth", "peer", "name", TOWN_LINK,
                        "netns", nod], check=True)
        self._ip(srv, f"addr add {SERVER_END}/30 dev {SERVER_LINK}", f"link set {SERVER_LINK} up",
                 f"route add {NODES} via {TOWN_END}")
        # All of the nodes' addresses are the town's own.
        self._ip(nod, "link set lo up", f"addr add {TOWN_END}/30 dev {TOWN_LINK}", f"link set {TOWN_LINK} up",
                 f"route add local {NODES} dev lo", f"route add default via {SERVER_END}")
        self._run("nft", "-f", "-", input=RULES)

    @staticmethod
    def _ip(namespace: str, *lines: str) -> None:
        subprocess.run(["ip", "-n", namespace, "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True)

    # MARK: what happens to nodes

    def serve(self, node: Node, mode: str) -> None:
        """A mode of node_servers.py."""
        self.servers.tell(address=node.address(4), mode=mode)

    def block(self, node: Node, set: str, on: bool) -> None:
        """A set of the rules above."""
        self._run("nft", "add" if on else "delete", "element", "ip", "chaos", set, "{", node.address(4), "}")

    def unblock(self) -> None:
        """All nodes, out of all sets."""
        for name in ("gone", "filtered", "refused", "mute"):
            self._run("nft", "flush", "set", "ip", "chaos", name)

    def delay(self, node: Node, milliseconds: int, loss: float) -> None:
        """All that a node sends takes so long, and a part of it gets lost; 0 and 0 end it."""
        if self._delay is None:
            self._delay = self._start("delay.py", DELAY_LINK)
            self._ip(self.namespace.name, f"route add default dev {DELAY_LINK} table {DELAY_TABLE}")
        on = bool(milliseconds or loss)
        if on:
            self._delay.tell(address=node.address(4), milliseconds=milliseconds, loss=loss)
        # What comes back from the relay is not of `lo`, and takes the usual way.
        self._run("ip", "rule", "add" if on else "del", "from", node.address(4), "iif", "lo", "lookup", DELAY_TABLE)
