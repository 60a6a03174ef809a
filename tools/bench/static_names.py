"""Names whose answers are the same for everybody: a zone of a million of them, and the program's time for each kind."""
import random
from pathlib import Path

import kernel_maps
import program_time
import wire
from figures import Figure
from server import Service
from workload import Workload, packet, plain_query

ORIGIN = "names.test"
NAMES = 1_000_000
# Different queries in a workload: far more than caches hold of what each touches.
SAMPLE = 200_000
MIB = 1 << 20


def service(folder: Path) -> Service:
    """A service of the zone beside the usual one; writes its file."""
    file = folder / "names.zone"
    with file.open("w") as zone:
        zone.write(f"$ORIGIN {ORIGIN}.\n$TTL 3600\n@ IN SOA ns.outside.test. root.outside.test. 1 7200 3600 1209600 300\n"
                   "@ IN NS ns.outside.test.\n")
        for number in range(NAMES):
            zone.write(f"h{number} IN A 10.{number >> 16}.{number >> 8 & 255}.{number & 255}\n")
    return Service(zones=(*Service().zones, (ORIGIN, file)))


def _workload(names: list[str], opt: bool = True) -> Workload:
    ask = (lambda name: wire.query(7, name, wire.A)) if opt else plain_query
    return Workload([packet(ask(f"{name}.{ORIGIN}")) for name in names], [b""])


def _names(count: int, seed: int, prefix: str = "h") -> list[str]:
    """A sample of the first `count` names, each at most once where there are enough."""
    numbers = random.Random(seed).sample(range(count), min(count, SAMPLE))
    return [f"{prefix}{number}" for number in numbers]


def workloads() -> dict[str, Workload]:
    return {
        "static_hot_ns": _workload(["h1"]),
        "static_100k_ns": _workload(_names(100_000, 1)),
        "static_1m_ns": _workload(_names(NAMES, 2)),
        "nxdomain_hot_ns": _workload(["none"]),
        "nxdomain_1m_ns": _workload(_names(NAMES, 3, "x")),
    }


def measure(wanted: list[str], runs: int, folder: Path):
    """Yields the figures."""
    made = workloads()
    for name in wanted:
        if name == "names_mib":
            yield Figure.of(name, [kernel_maps.memory() / MIB], "MiB", f"all maps, with {NAMES:,} names", digits=0)
        else:
            yield program_time.measure(name, made[name], runs, folder)[0]
