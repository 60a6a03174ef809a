"""What the daemon takes in memory, processor time and descriptors, by what it serves. Prints the table of docs/sizing.md."""
import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools" / "common"), str(ROOT / "tools" / "bench")]

from console import say  # noqa: E402
from ending import told  # noqa: E402
from lab import Lab, check_host  # noqa: E402
from oracle import Node, Oracle, read_nodes  # noqa: E402
from server import NAME, Server, Service  # noqa: E402
from tables import Usage, Watch, sites  # noqa: E402

CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))
CHECKS = "{interval: 5s, timeout: 2s, checks: [{type: tcp, port: 443}, {type: http, port: 80, body: ok}]}"
REST_S = 10


@dataclass(frozen=True)
class Case:
    title: str
    service: Service = Service()
    nodes: list[Node] | None = None
    static: int = 0
    zones: int = 0


@dataclass
class Seen:
    """Seconds, MiB and counts of one case."""

    ready_s: float = 0
    start: Usage = field(default_factory=lambda: Usage(0, 0, 0))
    rest: Usage = field(default_factory=lambda: Usage(0, 0, 0))
    reload_peak: Usage = field(default_factory=lambda: Usage(0, 0, 0))
    busy: float = 0
    descriptors: int = 0


def cases(oracle: Oracle) -> list[Case]:
    many = sites(oracle)
    return [
        Case("20 nodes, 1 tailored name, 1 zone"),
        Case("the same with 1,000 tailored names", replace(Service(), names=(NAME, *(f"t{n}.example.com" for n in range(999))))),
        Case("500 nodes in one pool", nodes=many),
        Case("500 nodes, two checks an address", replace(Service(), health=CHECKS), nodes=many),
        Case("a zone of 100,000 names", static=100_000),
        Case("a zone of 1,000,000 names", static=1_000_000),
        Case("10,000 zones of 10 names", zones=10_000),
    ]


def write_zone(path: Path, origin: str, names: int) -> None:
    with path.open("w") as zone:
        zone.write(f"$ORIGIN {origin}.\n$TTL 3600\n@ IN SOA ns.outside.test. root.outside.test. 1 7200 3600 1209600 300\n"
                   "@ IN NS ns.outside.test.\n")
        for number in range(names):
            zone.write(f"h{number} IN A 10.{number >> 16}.{number >> 8 & 255}.{number & 255}\n")


def with_zones(case: Case, folder: Path) -> Service:
    added: list[tuple[str, Path]] = []
    if case.static:
        added.append(("names.test", folder / "names.zone"))
        write_zone(added[0][1], "names.test", case.static)
    for number in range(case.zones):
        origin = f"z{number}.test"
        added.append((origin, folder / f"{origin}.zone"))
        write_zone(added[-1][1], origin, 10)
    return replace(case.service, zones=(*case.service.zones, *added))


def measure(case: Case, lab: Lab, options: argparse.Namespace, nodes: list[Node], folder: Path) -> Seen:
    seen = Seen()
    with Server(lab, options.binaries, options.database, case.nodes or nodes, with_zones(case, folder)) as server:
        pid = server.process.pid
        seen.ready_s, seen.start = server.ready_after_s, Usage.of(pid)
        end = time.monotonic() + REST_S
        before = Usage.of(pid)
        while time.monotonic() < end:
            seen.descriptors = max(seen.descriptors, len(os.listdir(f"/proc/{pid}/fd")))
            time.sleep(0.05)
        seen.rest = Usage.of(pid)
        seen.busy = (seen.rest.cpu - before.cpu) / REST_S
        # A node moves, so that all tables are ranked again; zones stay.
        text = server.config.read_text()
        at = text.index("latitude: ") + len("latitude: ")
        server.config.write_text(text[:at] + "1.5" + text[text.index(",", at):])
        with Watch(pid) as watch:
            server.ask("reload")
        seen.reload_peak = watch.peak
    return seen


def row(case: Case, seen: Seen) -> str:
    cells = [
        case.title, f"{seen.ready_s:.1f} s", f"{seen.start.cpu:.1f} s", f"{seen.rest.own:,.0f} MiB", f"{seen.rest.maps:,.0f} MiB",
        f"{seen.reload_peak.memory:,.0f} MiB", f"{100 * seen.busy:.1f} %", str(seen.descriptors),
    ]
    return f"| {' | '.join(cells)} |"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/sizing", description=__doc__)
    parser.add_argument("--only", type=int, action="append", metavar="N", help="measure this case, counted from 1; repeatable")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-sizing"), help="of the namespaces' names")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    return parser.parse_args()


def run(options: argparse.Namespace) -> None:
    check_host(options.database)
    nodes = read_nodes(ROOT / "tools" / "common" / "nodes20.tsv")
    oracle = Oracle(options.database, nodes)
    rows = []
    for number, case in enumerate(cases(oracle), 1):
        if options.only and number not in options.only:
            continue
        with tempfile.TemporaryDirectory(prefix="nearcast-sizing-") as folder, Lab(options.prefix) as lab:
            rows.append(row(case, measure(case, lab, options, nodes, Path(folder))))
            say(rows[-1])
    say("\n| served | ready after | CPU of the start | own memory | kernel's maps | peak of a reload | CPU at rest | descriptors |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n" + "\n".join(rows))


def main() -> None:
    options = arguments()
    with told("sizing"):
        run(options)


if __name__ == "__main__":
    main()
