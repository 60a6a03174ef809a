"""The zone under test: names from a file, and names that single changes give new versions."""
import threading
from ipaddress import ip_network
from pathlib import Path

import wire
from server import Server, Service
from workload import Workload, packet

ORIGIN = "storm.test"
PAIRS = 64
# Names that the load asks for.
ASKED = 1_000


def address(version: int) -> str:
    """Of a record in a version: its low bytes."""
    return f"10.{version >> 16 & 255}.{version >> 8 & 255}.{version & 255}"


class World:
    """Versions of names: the last that was acknowledged and the last that was asked for. Changed by many threads."""

    def __init__(self, folder: Path, names: int):
        self.file, self.names = folder / "storm.zone", names
        self.service = Service(zones=(*Service().zones, (ORIGIN, self.file)))
        self.lock = threading.Lock()
        self.acknowledged: dict[str, int] = {}
        self.wished: dict[str, int] = {}
        self._write_zone(0)

    def adopt(self, server: Server) -> None:
        server.config.write_text("watch: false\n" + server.config.read_text())
        self.text = server.config.read_text()

    def write(self, server: Server, moved: bool, version: int) -> None:
        """The next configuration and zone: `moved` has another location table, `version` other addresses everywhere."""
        text = self.text
        if moved:
            override = "overrides: [{prefix: 203.0.113.0/24, latitude: 1, longitude: 2}]"
            text = text.replace("geo: {", "geo: {" + override + ", ")
        server.config.write_text(text)
        self._write_zone(version)

    def _write_zone(self, version: int) -> None:
        if getattr(self, "version", None) == version:
            return
        self.version = version
        following = self.file.with_suffix(".new")
        with following.open("w") as zone:
            zone.write(f"$ORIGIN {ORIGIN}.\n$TTL 60\n@ IN SOA ns root 1 7200 3600 1209600 300\n@ IN NS ns\n"
                       "ns IN A 192.0.2.53\n")
            for number in range(self.names):
                zone.write(f"h{number} IN A {20 + version}.{number >> 16}.{number >> 8 & 255}.{number & 255}\n")
        following.rename(self.file)

    def stable(self, number: int) -> set[str]:
        """Addresses that a name of the file may have."""
        return {f"{20 + version}.{number >> 16}.{number >> 8 & 255}.{number & 255}" for version in (0, 1)}

    def queries(self, clients: list[bytes], tailored: str) -> Workload:
        """Names of the file, spread over it, and a tailored one; all with a client subnet."""
        step = max(self.names // ASKED, 1)
        names = [f"h{number}.{ORIGIN}" for number in range(0, self.names, step)] + [tailored] * 100
        anyone = ip_network("0.0.0.0/24")
        return Workload([packet(wire.query(7, name, wire.A, anyone)) for name in names], clients, 3)

    def wish(self, name: str) -> int:
        """The next version of a name that one thread changes."""
        with self.lock:
            self.wished[name] = version = self.wished.get(name, 0) + 1
            return version

    def acknowledge(self, name: str, version: int) -> None:
        with self.lock:
            self.acknowledged[name] = version

    def bounds(self, name: str) -> tuple[int, int]:
        with self.lock:
            return self.acknowledged.get(name, 0), self.wished.get(name, 0)
