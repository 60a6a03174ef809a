"""The environment of the checks: the lab, the reference servers, and nearcastd with and without its fast path."""
import contextlib
import re
import subprocess
from pathlib import Path

from console import Failure, say
from kit import Kit
from lab import SERVER, Lab
from oracle import Node, read_nodes
from server import HERE, NAME, Server, Service, configuration

SLOW, FAST = "127.53.1.5", SERVER[4]
REFERENCES = {"NSD": "127.53.1.1", "Knot": "127.53.1.2", "BIND": "127.53.1.3", "PowerDNS": "127.53.1.4"}
EXAMPLE = ("example.com.", HERE / "zones" / "example.com.zone")
Zone = tuple[str, Path]


def read_zones(tables: list[Path]) -> list[Zone]:
    """The origins and files that random_zones.py listed."""
    rows = [line.split("\t") for table in tables for line in table.read_text().splitlines()]
    return [(origin, Path(file)) for _, origin, file in rows]


@contextlib.contextmanager
def network(prefix: str):
    """The lab, its client side known as `cf` too: there the kit expects the references."""
    with Lab(prefix) as lab:
        alias = Path("/run/netns/cf")
        alias.touch()
        subprocess.run(["mount", "--bind", lab.namespace("cli"), alias], check=True)
        try:
            yield lab
        finally:
            subprocess.run(["umount", alias], check=True)
            alias.unlink()


@contextlib.contextmanager
def references(kit: Kit, zones: list[Zone]):
    """NSD, Knot, BIND and PowerDNS with these zones, on the addresses of `REFERENCES`."""
    table = kit.logs / "served.tsv"
    table.write_text("".join(f"zone\t{origin}\t{file}\n" for origin, file in zones))
    try:
        say(f"references: {kit.run('peers.py', 'start', table, log='references.log', inside=False).strip()}")
        yield
    finally:
        kit.run("peers.py", "stop", log="references.log", inside=False)


class Subjects:
    """Starts daemons that serve `zones`, the example's zone and a tailored name."""

    def __init__(self, lab: Lab, binaries: Path, database: Path, nodes: list[Node], zones: list[Zone]):
        self.lab, self.binaries, self.database, self.nodes = lab, binaries, database, nodes
        self.zones = [EXAMPLE, *zones]

    def service(self, fast: bool) -> Service:
        zones = tuple(self.zones)
        if fast:
            return Service(zones=zones)
        return Service(mode="off", zones=zones, addresses=(SLOW,), side="cli")

    def server(self, fast: bool) -> Server:
        return Server(self.lab, self.binaries, self.database, self.nodes, self.service(fast))

    def refused(self, scratch: Path) -> list[str]:
        """Problems that `nearcast check` has with zones; those zones are served no more."""
        problems: list[str] = []
        config = scratch / "check.yaml"
        while True:
            config.write_text(configuration(scratch, self.database, self.nodes, self.service(fast=False)))
            done = subprocess.run([self.binaries / "nearcast", "check", config], capture_output=True, text=True)
            text = done.stdout + done.stderr
            if done.returncode == 0:
                return problems
            files = set(re.findall(r"^(/[^:]+):\d+", text, re.MULTILINE))
            bad = [zone for zone in self.zones if str(zone[1]) in files]
            if not bad:
                raise Failure(f"nearcast check refuses the configuration:\n{text[:2000]}")
            problems += [line for line in text.splitlines() if line.split(":")[0] in files]
            self.zones = [zone for zone in self.zones if zone not in bad]


__all__ = ["EXAMPLE", "FAST", "NAME", "REFERENCES", "SLOW", "Subjects", "network", "read_nodes", "read_zones",
           "references"]
