"""A host with a daemon, a second host with nodes behind a cable, and what an operator does on them."""
import json
import os
import signal
import socket
import subprocess
import sys
import time
import unittest.mock
from pathlib import Path

from console import Failure, say

DATABASE = {
    # Clients near Berlin and near New York.
    "192.0.2.0/24": ("DE", "EU", 52.5, 13.4),
    "198.51.100.0/24": ("US", "NA", 40.7, -74.0),
}
ZONE = """$TTL 60
@ SOA ns hostmaster 1 60 60 60 60
@ NS ns
ns A 127.0.0.1
host A 192.0.2.7
"""
NODES = {"ber": (10, 52.5, 13.4), "nyc": (20, 40.7, -74.0), "sin": (30, 1.35, 103.8)}


class Town:
    """`srv` has the daemon; `far` has the nodes' addresses, 10.77.0.N and fd77::N, at the other end of a veth pair."""

    def __init__(self, prefix: str, folder: Path, binaries: Path):
        self.prefix, self.folder, self.binaries = prefix, folder, binaries
        self.failures: list[str] = []
        self.daemon: subprocess.Popen | None = None
        self._servers: dict[str, subprocess.Popen] = {}

    # MARK: hosts

    def __enter__(self) -> "Town":
        for program in ("nearcastd", "nearcast"):
            if not (self.binaries / program).exists():
                raise Failure(f"{self.binaries / program} is missing: `make build` makes it")
        self._clear()
        for side in ("srv", "far"):
            self._run("ip", "netns", "add", f"{self.prefix}-{side}")
            self.on(side, "ip", "link", "set", "lo", "up")
        self._run("ip", "link", "add", "op0", "netns", f"{self.prefix}-srv", "type", "veth", "peer", "name", "op1", "netns",
                  f"{self.prefix}-far")
        for side, link, host in (("srv", "op0", 1), ("far", "op1", 2)):
            self.on(side, "sysctl", "-qw", "net.ipv6.conf.all.accept_dad=0", f"net.ipv6.conf.{link}.accept_dad=0")
            self.on(side, "ip", "link", "set", link, "up")
            self.on(side, "ip", "addr", "add", f"10.77.0.{host}/24", "dev", link)
            self.on(side, "ip", "-6", "addr", "add", f"fd77::{host}/64", "dev", link, "nodad")
        for number, _, _ in NODES.values():
            self.on("far", "ip", "addr", "add", f"10.77.0.{number}/24", "dev", "op1")
            self.on("far", "ip", "-6", "addr", "add", f"fd77::{number}/64", "dev", "op1", "nodad")
        self.write_database()
        (self.folder / "zone").write_text(ZONE)
        return self

    def __exit__(self, *_) -> None:
        self.stop()
        for server in list(self._servers):
            self.close(server)
        self._clear()

    def _clear(self) -> None:
        for side in ("srv", "far"):
            subprocess.run(["ip", "netns", "del", f"{self.prefix}-{side}"], capture_output=True)

    @staticmethod
    def _run(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True)

    def on(self, side: str, *command: str) -> subprocess.CompletedProcess:
        try:
            return subprocess.run(["ip", "netns", "exec", f"{self.prefix}-{side}", *command], capture_output=True, text=True, timeout=30)
        except subprocess.TimeoutExpired:
            raise Failure(f"`{' '.join(command)}` does not end within 30 s") from None

    def write_database(self, name: str = "city.mmdb", age_days: int = 0) -> None:
        from mmdb_writer import MMDBWriter
        from netaddr import IPSet

        writer = MMDBWriter(ip_version=6, database_type="City", ipv4_compatible=True)
        for network, (country, continent, latitude, longitude) in DATABASE.items():
            writer.insert_network(IPSet([network]), {
                "country": {"iso_code": country}, "continent": {"code": continent},
                "location": {"latitude": latitude, "longitude": longitude}})
        with unittest.mock.patch("time.time", return_value=time.time() - 86400 * age_days):
            writer.to_db_file(str(self.folder / name))

    # MARK: nodes

    def open(self, node: str, family: int = 4, port: int = 80) -> None:
        """A server that accepts connections at one address of a node."""
        number = NODES[node][0]
        address = f"10.77.0.{number}" if family == 4 else f"fd77::{number}"
        code = ("import socket,sys\ns=socket.create_server((sys.argv[1],int(sys.argv[2])),"
                "family=socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET,backlog=64)\n"
                "while True:\n c,_=s.accept()\n c.close()\n")
        self._servers[f"{node}/{family}"] = subprocess.Popen(
            ["ip", "netns", "exec", f"{self.prefix}-far", "python3", "-c", code, address, str(port)])

    def resolve(self, hosts: dict[str, str]) -> None:
        """A recursive server at 127.0.0.2 of the daemon's host: it knows these names alone, and no other server."""
        data = "".join(f'  local-data: "{name}. 5 A {address}"\n' for name, address in hosts.items())
        path = self.folder / "unbound.conf"
        path.write_text(
            'server:\n  interface: 127.0.0.2\n  do-daemonize: no\n  username: ""\n  chroot: ""\n  pidfile: ""\n  use-syslog: no\n'
            f'  directory: "{self.folder}"\n  local-zone: "provider.test." static\n' + data
            + "remote-control:\n  control-enable: no\n")
        self._servers["resolver"] = subprocess.Popen(
            ["ip", "netns", "exec", f"{self.prefix}-srv", "unbound", "-c", str(path)], stderr=subprocess.DEVNULL)

    def close(self, server: str) -> None:
        process = self._servers.pop(server)
        process.kill()
        process.wait()

    # MARK: the daemon

    def configure(self, more: str = "", health: str = "interval: 500ms, timeout: 300ms, fall: 2, rise: 2, slow_start: 0s, "
                  "checks: [{type: tcp, port: 80}]") -> Path:
        nodes = "".join(
            f'  - {{id: {name}, addresses: [10.77.0.{number}, "fd77::{number}"], location: {{latitude: {latitude}, longitude: '
            f"{longitude}}}}}\n" for name, (number, latitude, longitude) in NODES.items())
        path = self.folder / "nearcast.yaml"
        path.write_text(
            "listen: [127.0.0.1:53]\nstate: state\ncontrol: control.sock\nfast_path: {mode: off}\ngeo: {database: city.mmdb}\n"
            "zones: [{origin: example.com, file: zone}]\nnodes:\n" + nodes + "pools: [{id: web, nodes: [ber, nyc, sin]}]\n"
            "policies: [{id: nearest, ttl: {min: 1, max: 60}}]\n"
            "tailored: [{name: www.example.com, pool: web, policy: nearest}]\n"
            f"health: {{{health}}}\n" + more)
        return path

    def start(self, *arguments: str, environment: dict[str, str] | None = None, wait: bool = True) -> subprocess.Popen:
        log = (self.folder / "log").open("ab")
        self.daemon = subprocess.Popen(
            ["ip", "netns", "exec", f"{self.prefix}-srv", self.binaries / "nearcastd", str(self.folder / "nearcast.yaml"), *arguments],
            stdout=log, stderr=log, env={**os.environ, **(environment or {})}, cwd=self.folder)
        if wait:
            self.until(lambda: self.nearcast("status").returncode == 0, 30, "the daemon does not start")
        return self.daemon

    def stop(self) -> int | None:
        if not self.daemon:
            return None
        self.daemon.send_signal(signal.SIGTERM)
        try:
            status = self.daemon.wait(20)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            status = self.daemon.wait()
        self.daemon = None
        return status

    def log_lines(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    def log_tail(self) -> str:
        return " | ".join(self.log_lines()[-3:])

    def nearcast(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.on("srv", str(self.binaries / "nearcast"), *arguments, "--socket", str(self.folder / "control.sock"))

    def check(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.on("srv", str(self.binaries / "nearcast"), "check", *arguments)

    def json(self, *arguments: str):
        done = self.nearcast(*arguments, "--json")
        if done.returncode:
            raise Failure(f"nearcast {' '.join(arguments)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def nodes(self) -> dict[str, dict]:
        return {node["id"]: node for node in self.json("node", "list")}

    def states(self, family: str = "") -> dict[str, str]:
        """States of nodes, or of one family of them."""
        found = {}
        for name, node in self.nodes().items():
            one = next((f for f in node.get("families") or [] if f["family"] == family), node)
            found[name] = one["state"]
        return found

    def answer(self, kind: str, client: str = "192.0.2.0/24", name: str = "www.example.com") -> list[str]:
        """The addresses that a client gets, by a real query over UDP."""
        code = (
            "import sys,dns.message,dns.query,dns.edns\na,l=sys.argv[3].split('/')\n"
            "q=dns.message.make_query(sys.argv[1],sys.argv[2],use_edns=0,options=[dns.edns.ECSOption(a,int(l))])\n"
            "r=dns.query.udp(q,'127.0.0.1',timeout=3)\n"
            "print(' '.join(i.to_text() for s in r.answer for i in s))\n")
        return self.on("srv", sys.executable, "-c", code, name, kind, client).stdout.split()

    def http(self, path: str, method: str = "GET", port: int = 9153) -> tuple[int, str]:
        """Status and body of a request to the daemon's host."""
        code = (
            "import sys,urllib.request,urllib.error\n"
            "q=urllib.request.Request(sys.argv[1],method=sys.argv[2])\n"
            "try: r=urllib.request.urlopen(q,timeout=5)\nexcept urllib.error.HTTPError as e: r=e\n"
            "print(r.status); print(r.read().decode())\n")
        done = self.on("srv", sys.executable, "-c", code, f"http://127.0.0.1:{port}{path}", method)
        status, _, body = done.stdout.partition("\n")
        return int(status or 0), body

    # MARK: judging

    def expect(self, condition: bool, text: str) -> None:
        say(f"{'ok    ' if condition else 'FAILED'} {text}")
        if not condition:
            self.failures.append(text)

    def until(self, condition, seconds: float, text: str) -> bool:
        """Waits for a condition. It fails the scene when it does not come true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            if self.daemon and self.daemon.poll() is not None:
                raise Failure(f"the daemon ended with {self.daemon.returncode}")
            time.sleep(0.1)
        raise Failure(text)


class Manager:
    """The other end of NOTIFY_SOCKET: what systemd hears (sd_notify(3))."""

    def __init__(self, folder: Path):
        self.path = folder / "notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.socket.setblocking(False)
        self.heard: list[str] = []

    def listen(self) -> list[str]:
        while True:
            try:
                self.heard += self.socket.recv(4096).decode().splitlines()
            except BlockingIOError:
                return self.heard
