"""A daemon on the loopback interface, its files, and the command line that manages it."""
import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from console import Failure
from oracle import Node

ZONE = """$TTL 300
@ SOA ns1 hostmaster {serial} 3600 900 604800 300
@ NS ns1
ns1 A 192.0.2.53
"""


@dataclass
class Files:
    """What an operator edits."""

    nodes: list[Node]
    names: list[str]
    policies: list[str] = field(default_factory=lambda: ["{id: nearest}"])
    policy_of: dict[str, str] = field(default_factory=dict)
    moved: dict[str, tuple[float, float]] = field(default_factory=dict)
    extra: str = ""
    watch: str = "false"
    records: list[str] = field(default_factory=list)
    serial: int = 1

    def address(self, node: str) -> str:
        number = [known.id for known in self.nodes].index(node) + 1
        return f"198.18.{number >> 8}.{number & 255}"

    def node_of(self, address: str | None) -> str | None:
        if address is None:
            return None
        third, last = (int(part) for part in address.split(".")[2:])
        return self.nodes[(third << 8 | last) - 1].id

    def configuration(self, port: int, database: Path) -> str:
        lines = [f"listen: [127.0.0.1:{port}]", "control: control.sock", "state: state", f"watch: {self.watch}",
                 "fast_path: {mode: off}", f"geo: {{database: {database}}}", "nodes:"]
        for number, node in enumerate(self.nodes, start=1):
            latitude, longitude = self.moved.get(node.id, (node.latitude, node.longitude))
            lines.append(f"  - {{id: {node.id}, addresses: [{self.address(node.id)}, \"2001:db8::{number:x}\"], "
                         f"location: {{latitude: {latitude}, longitude: {longitude}}}}}")
        members = ", ".join(node.id for node in self.nodes)
        lines += [f"pools: [{{id: web, nodes: [{members}]}}]", f"policies: [{', '.join(self.policies)}]",
                  "zones: [{origin: example.com, file: zone}]", "tailored:"]
        lines += [f"  - {{name: {name}, pool: web, policy: {self.policy_of.get(name, 'nearest')}}}" for name in self.names]
        return "\n".join(lines) + "\n" + self.extra

    def zone(self) -> str:
        return ZONE.format(serial=self.serial) + "".join(f"{record}\n" for record in self.records)


class Office:
    def __init__(self, folder: Path, binaries: Path, database: Path, files: Files):
        self.folder, self.binaries, self.database, self.files = folder, binaries, database, files
        self.failures: list[str] = []
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.daemon: subprocess.Popen | None = None

    def __enter__(self) -> "Office":
        self.folder.mkdir(parents=True, exist_ok=True)
        self.write()
        self.start()
        return self

    def __exit__(self, *_) -> None:
        if self.daemon and self.daemon.poll() is None:
            self.daemon.terminate()
            self.daemon.wait(timeout=60)

    def write(self) -> None:
        (self.folder / "zone").write_text(self.files.zone())
        (self.folder / "nearcast.yaml").write_text(self.files.configuration(self.port, self.database))

    def start(self) -> None:
        with (self.folder / "log").open("a") as log:
            self.daemon = subprocess.Popen([self.binaries / "nearcastd", "nearcast.yaml"], cwd=self.folder, stdout=log, stderr=log)
        end = time.monotonic() + 180
        while self.ask("status")[0]:
            if self.daemon.poll() is not None or time.monotonic() > end:
                raise Failure("the daemon does not start: " + (self.folder / "log").read_text()[-2000:])
            time.sleep(0.1)

    def kill(self) -> None:
        os.kill(self.daemon.pid, signal.SIGKILL)
        self.daemon.wait()

    def ask(self, *words: str) -> tuple[int, dict | list, float]:
        """Exit status, JSON of the result or of the error, and seconds."""
        start = time.monotonic()
        command = [self.binaries / "nearcast", *words, "--socket", str(self.folder / "control.sock"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        text = done.stdout or done.stderr
        try:
            return done.returncode, json.loads(text), time.monotonic() - start
        except json.JSONDecodeError:
            return done.returncode or 70, {"error": {"code": "", "message": text}}, time.monotonic() - start

    def expect(self, isSo: bool, what: str) -> None:
        if not isSo:
            self.failures.append(what)
