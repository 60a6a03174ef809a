"""Changes everything at once under load: single records, whole zones, the location table and nodes, and judges every answer."""
import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMMON = HERE.parent / "common"
sys.path.insert(1, str(COMMON))
sys.path.insert(1, str(HERE.parent / "bench"))
sys.path.insert(1, str(HERE.parent / "drill"))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

import flood
import native
import world
import workload
from changes import Changes, Flips
from console import heading, say, waiting
from control import Control
from ending import told
from figures import Figure, Report
from judge import Judge
from lab import Lab, check_host
from oracle import Oracle, read_nodes
from server import NAME, Server
from tables import Usage

MIB_SPARE = 32
SETTLE_S = 3
MEASURE_S = 2
PAUSE_S = 0.5


class Storm:
    """One storm over one daemon."""

    def __init__(self, options: argparse.Namespace, report: Report, lab: Lab, server: Server, stage: world.World,
                 queries: workload.Workload, folder: Path):
        self.options, self.report, self.lab, self.server = options, report, lab, server
        self.stage, self.queries, self.folder = stage, queries, folder

    def offered(self) -> int:
        """Queries a second: as asked for, or half of what is answered when nothing changes."""
        if self.options.rate:
            return self.options.rate
        with flood.Flood(self.lab, self.queries, self.folder, 0) as load:
            time.sleep(MEASURE_S)
            limit = load.count().rate
        say(f"at most {limit:,.0f} queries a second are answered; half of that is offered")
        return int(limit / 2)

    def settled(self) -> Usage:
        """With the first version of everything."""
        self.stage.write(self.server, moved=False, version=0)
        self.server.ask("reload")
        time.sleep(SETTLE_S)
        return Usage.of(self.server.process.pid)

    def quiet(self) -> None:
        """What changes cost when nothing else happens."""
        for connections in self.options.connections:
            with Changes(self.stage, self.server.socket, connections, pairs=0) as changes:
                time.sleep(self.options.seconds / 4)
            self._add_changes(f"changes_{connections}", changes)

    def _add_changes(self, name: str, changes: Changes) -> None:
        times = sorted(changes.milliseconds) or [0]
        note = f"median {statistics.median(times):.1f} ms, 99 of 100 below {times[len(times) * 99 // 100]:.1f}, " \
               f"the longest {times[-1]:.0f}; by {changes.ways}"
        self.report.add(Figure.of(f"{name}_per_s", [changes.count / changes.seconds], "a second", note, digits=0))
        for problem in changes.problems[:3]:
            self.report.fail(problem)

    def run(self) -> None:
        heading("Changes without other load")
        self.quiet()
        with waiting("until memory is stable"):
            for moved in (True, False):
                self.stage.write(self.server, moved=moved, version=1)
                self.server.ask("reload")
            before = self.settled()
        rate = self.offered()
        heading("The storm")
        times = {"reload": [], "swap": []}
        memory, overlaid = [before.memory], []
        with flood.Flood(self.lab, self.queries, self.folder, rate) as load, \
                Changes(self.stage, self.server.socket, self.options.threads, pairs=1,
                        rate=self.options.changes, singles=self.options.singles) as changes, \
                Flips(self.server.socket, self.options.flip_ms / 1e3) as flips, \
                Control(self.server.socket) as control, Judge(self.lab, self.stage, self.options.singles) as judge:
            end = time.monotonic() + self.options.seconds
            turn = 0
            while self.options.steady and time.monotonic() < end:
                time.sleep(PAUSE_S)
                overlaid.append(control.get("/v1/status")["overlay"]["changed"])
            while time.monotonic() < end:
                kind, moved, version = [("reload", False, 1), ("swap", True, 1), ("reload", True, 0),
                                        ("swap", False, 0)][turn % 4]
                turn += 1
                self.stage.write(self.server, moved=moved, version=version)
                times[kind].append(self.server.ask("reload")["tookSeconds"])
                memory.append(Usage.of(self.server.process.pid).memory)
                time.sleep(PAUSE_S)
            count = load.count()
        say(f"{count.sent:,} queries at {count.rate:,.0f} a second, {flips.count:,} flips of nodes, one each "
            f"{1e3 * changes.seconds / max(flips.count, 1):.1f} ms")
        self.report.add(Figure("storm_lost", count.lost, "queries", 1, count.lost, count.lost, f"of {count.sent:,}"))
        for name, found in judge.findings().items():
            self.report.add(Figure(f"storm_{name}", found, "answers", 1, found, found, judge.note(name)))
        self._add_changes("storm_changes", changes)
        for kind, seconds in times.items():
            if seconds:
                self.report.add(Figure.of(f"storm_{kind}_s", seconds, "s"))
        after = self.settled()
        if self.options.steady:
            folds = sum(later < earlier for earlier, later in zip(overlaid, overlaid[1:]))
            self.report.add(Figure("storm_folds", folds, "times", 1, folds, folds,
                                   f"at most {max(overlaid):,} names had changed beside the tables"))
        note = f"own {before.own:.0f} → {after.own:.0f} MiB, maps {before.maps:.0f} → {after.maps:.0f}; before and after " \
               f"each reload {', '.join(f'{each:.0f}' for each in memory)}"
        self.report.add(Figure.of("storm_memory_mib", [after.memory - before.memory], "MiB", note, digits=0))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/storm", description=__doc__)
    parser.add_argument("--names", type=int, default=100_000, help="names in the zone (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=20, help="length of the storm (default %(default)s)")
    parser.add_argument("--rate", type=int, default=0, help="queries per second (default: half of the limit)")
    parser.add_argument("--changes", type=int, default=1_000, help="changes of single records per second (default %(default)s)")
    parser.add_argument("--threads", type=int, default=64, help="connections that change records (default %(default)s)")
    parser.add_argument("--singles", type=int, default=2_000, help="names that these connections change (default %(default)s)")
    parser.add_argument("--steady", action="store_true", help="change only records and nodes, no files")
    parser.add_argument("--flip-ms", type=float, default=10, help="milliseconds between changes of nodes (default %(default)s)")
    parser.add_argument("--connections", type=lambda text: [int(word) for word in text.split(",") if word],
                        default=[1, 8], help="numbers of connections for the measurement before the storm (default 1,8)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE, one JSON object per line")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-storm"), help="""prefix of the names
        of namespaces (default %(default)s)""")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    report = Report(options.json)
    heading("Storm")
    say(f"{os.cpu_count()} CPUs, Linux {platform.release()}, load {os.getloadavg()[0]:.1f}")
    say(f"command: {' '.join([sys.executable, *sys.argv])}")
    with told("storm"):
        check_host(options.database)
        native.build()
        oracle = Oracle(options.database, read_nodes(COMMON / "nodes20.tsv"))
        with tempfile.TemporaryDirectory(prefix="nearcast-storm-") as name, Lab(options.prefix) as lab:
            folder = Path(name)
            stage = world.World(folder, options.names)
            server = Server(lab, options.binaries, options.database, oracle.nodes, stage.service)
            stage.adopt(server)
            with server:
                queries = stage.queries(workload.located_subnets(oracle, 4, 1_000), NAME)
                Storm(options, report, lab, server, stage, queries, folder).run()
    heading("Figures")
    for figure in report.figures:
        say(figure.line())
    wrong = [figure for figure in report.figures
             if figure.name in ("storm_lost", "storm_mixed", "storm_stale", "storm_wrong") and figure.value]
    sys.exit(1 if wrong or report.failures else 0)


main()
