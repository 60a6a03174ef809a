"""The networks around the lab: a router, 64 hostile networks behind it, and honest ones.

    srv ── ncs0 ══ ncc0 ── cli, the router ──┬── nca0 ══ nca1 ── att: 10.66.0.0/16, fd66::/32
     │                     192.0.2.2, .19    └── nch0 ══ nch1 ── hon: 10.77.0.0/16, fd77::/32, the nodes 198.18.200.0/24
     └─── ncn0 ═══════════════════════════════════════ ncn1 ──────┘

The nodes have a separate link: the endless responses of the hostile node would fill the other one.
"""
import ctypes
import os
import socket
import subprocess
import threading
from pathlib import Path

from console import Failure
from lab import Lab
from napi import CLIENT_LINK

NODES = "198.18.200"
ON_LINK = {4: "192.0.2.2", 6: "2001:db8:53::2"}
CHARGEN = "192.0.2.19"
# Replies to these ports are counted on their way to the router: there must be none.
SERVICES = (0, 7, 13, 17, 19, 37)
_CLONE_NEWNET = 0x40000000
_RULES = f"""
table inet siege {{
  counter reflected {{ }}
  chain arriving {{
    type filter hook prerouting priority -300;
    iifname "{CLIENT_LINK}" udp sport 53 udp dport {{ {', '.join(map(str, SERVICES))} }} counter name reflected
  }}
}}
"""


def honest_address(version: int, network: int) -> str:
    return f"10.77.{network}.10" if version == 4 else f"fd77:0:{network:x}::10"


def socket_in(namespace: Path, family: int, kind: int) -> socket.socket:
    """A socket stays in the namespace it was made in; `setns` binds a thread, so a short-lived one makes it."""
    made: list[socket.socket | OSError] = []

    def make() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        with open(namespace) as file:
            if libc.setns(file.fileno(), _CLONE_NEWNET):
                made.append(OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno())))
                return
        made.append(socket.socket(family, kind))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]


class Field:
    """The namespaces PREFIX-att and PREFIX-hon and the router's part, while a `with` block runs."""

    def __init__(self, lab: Lab):
        self.lab = lab
        self.router = lab.namespace("cli")
        self.hostile, self.honest = lab.namespace("att"), lab.namespace("hon")

    def __enter__(self) -> "Field":
        try:
            self._router()
            self._behind(self.hostile, "nca0", "nca1", 1, 66)
            self._behind(self.honest, "nch0", "nch1", 2, 77)
            self._nodes()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for namespace in (self.hostile, self.honest):
            if namespace.exists():
                subprocess.run(["ip", "netns", "del", namespace.name], check=True)

    def command(self, namespace: Path, *arguments) -> list[str]:
        return ["nsenter", f"--net={namespace}", "--", *map(str, arguments)]

    def _run(self, namespace: Path, *arguments, input: str | None = None) -> str:
        done = subprocess.run(self.command(namespace, *arguments), input=input, text=True, capture_output=True)
        if done.returncode:
            raise Failure(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def _ip(self, namespace: Path, *lines: str) -> None:
        subprocess.run(["ip", "-n", namespace.name, "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True)

    def _settings(self, namespace: Path) -> None:
        self._run(namespace, "sh", "-c", "cd /proc/sys/net; for f in all default; do echo 0 >ipv4/conf/$f/rp_filter; "
                  "echo 0 >ipv6/conf/$f/accept_dad; echo 0 >ipv6/conf/$f/accept_ra; echo 0 >ipv6/conf/$f/disable_ipv6; "
                  "echo 1 >ipv6/conf/$f/forwarding; done; echo 1 >ipv6/ip_nonlocal_bind; echo 1 >ipv4/ip_forward; echo 4096 >core/somaxconn")

    def _router(self) -> None:
        self._settings(self.router)
        # Replies to sources that do not exist end here, without an ICMP error.
        self._ip(self.router, f"addr add {ON_LINK[4]}/24 dev {CLIENT_LINK}", f"addr add {CHARGEN}/24 dev {CLIENT_LINK}",
                 f"addr add {ON_LINK[6]}/64 dev {CLIENT_LINK} nodad", "route add blackhole default",
                 "route add blackhole ::/0")
        self._run(self.router, "nft", "-f", "-", input=_RULES)

    def _behind(self, namespace: Path, here: str, there: str, link: int, network: int) -> None:
        """A namespace behind the router that owns all addresses of its networks."""
        if namespace.exists():
            raise Failure(f"{namespace.name} exists: remove it with `ip netns del {namespace.name}`, or choose another --prefix")
        subprocess.run(["ip", "netns", "add", namespace.name], check=True)
        self._settings(namespace)
        subprocess.run(["ip", "link", "add", here, "netns", self.router.name, "type", "veth", "peer", "name", there, "netns",
                        namespace.name], check=True)
        self._ip(self.router, f"addr add 10.254.{link}.1/30 dev {here}", f"addr add fd00:{link}::1/64 dev {here} nodad",
                 f"link set {here} up")
        self._ip(namespace, "link set lo up", f"addr add 10.254.{link}.2/30 dev {there}",
                 f"addr add fd00:{link}::2/64 dev {there} nodad", f"link set {there} up",
                 f"route add default via 10.254.{link}.1", f"route add ::/0 via fd00:{link}::1",
                 f"route add local 10.{network}.0.0/16 dev lo", f"route add local fd{network}::/32 dev lo")
        self._ip(self.router, f"route add 10.{network}.0.0/16 via 10.254.{link}.2",
                 f"route add fd{network}::/32 via fd00:{link}::2")

    def _nodes(self) -> None:
        server = self.lab.namespace("srv")
        subprocess.run(["ip", "link", "add", "ncn0", "netns", server.name, "type", "veth", "peer", "name", "ncn1", "netns",
                        self.honest.name], check=True)
        self._ip(server, "addr add 10.254.3.1/30 dev ncn0", "link set ncn0 up", f"route add {NODES}.0/24 via 10.254.3.2")
        self._ip(self.honest, "addr add 10.254.3.2/30 dev ncn1", "link set ncn1 up", f"route add local {NODES}.0/24 dev lo")

    def reflected(self) -> int:
        """Replies to ports of SERVICES so far."""
        words = self._run(self.router, "nft", "list", "counter", "inet", "siege", "reflected").split()
        return int(words[words.index("packets") + 1])

    def dropped(self) -> int:
        """Frames that the link to the server had no room for, in either direction."""
        total = 0
        for namespace, link in ((self.router, "ncc0"), (self.lab.namespace("srv"), "ncs0")):
            for line in self._run(namespace, "cat", "/proc/net/dev").splitlines():
                name, _, numbers = line.partition(":")
                if name.strip() == link:
                    values = numbers.split()
                    total += int(values[3]) + int(values[11])
        return total
