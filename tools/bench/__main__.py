"""Measures Nearcast's figures in a lab of two namespaces, with the whole city database."""
import argparse
import contextlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMMON = HERE.parent / "common"
sys.path.insert(1, str(COMMON))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

try:
    import workload
except ModuleNotFoundError as missing:
    sys.exit(f"bench: {missing}: run it with {CACHE}/venv/bin/python, or as `make bench`")

import flips
import floods
import health
import location
import native
import parity
import program_time
import rivals
import static_names
import tables
import veth
from console import Failure, heading, say
from ending import told
from figures import Figure, Report
from lab import Lab, check_host
from oracle import Oracle, read_nodes
from server import NAME, Server, Service
from starting import Start, favour, started
from verify import verify

GROUPS = {
    "answers": ["wrong_answers", "xdp_share"],
    "program": ["tailored_hot_ns", "tailored_set_ns", "tailored_names_ns", "tailored_clients_ns", "tailored_hot_v6_ns",
                "tailored_set_v6_ns", "tailored_hot_edns_ns", "tailored_hot_cookie_ns", "tailored_hot_noecs_ns", "declined_name_ns",
                "declined_port_ns", "yardstick_ns"],
    "location": ["location_v4_ns", "location_v6_ns", "location_v4_set_ns", "location_v6_set_ns"],
    "names": ["static_hot_ns", "static_100k_ns", "static_1m_ns", "nxdomain_hot_ns", "nxdomain_1m_ns", "names_mib"],
    "flips": ["flip_ms"],
    "parity": ["parity_mismatches"],
    "veth": ["veth_ratio", "cpu_ratio"],
    "rivals": [f"rival_{what}_{rival.figure}" for what in ("cpu", "rate") for rival in rivals.RIVALS],
    "floods": ["flood_subdomain_xdp_share", "flood_legit_loss", "flood_spoofed_cpu", "flood_spoofed_mib"],
    "tables": ["tables_start_cpu_s", "tables_steady_mib", "tables_all_cpu_s", "tables_all_peak_mib", "tables_settled_mib",
               "tables_one_cpu_s", "tables_one_peak_mib"],
    "health": ["flip_load_ms", "flip_load_p99_ms", "failure_refused_s", "failure_silent_s", "checks_cpu", "checks_missed",
               "thousand_ms", "check_https_ms"],
    "starts": ["cold_start_s", "peak_mib"],
}
SERVICE = Service(names=(NAME, *workload.NAMES))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, one object a line")
    parser.add_argument("--only", metavar="FIGURE,…", default="", help="measure only these: "
                        + ", ".join(name for names in GROUPS.values() for name in names)
                        + "; those of tables, which take minutes, only when they are named")
    parser.add_argument("--runs", type=int, help="""repetitions of each figure that is repeated (default: 15 of program
        times and look-ups, 15 flips, 5 floods, 3 starts)""")
    parser.add_argument("--count", type=int, default=10_000, help="""random prefixes a family, and queries of the
        parity check (default %(default)s)""")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-bench"), help="""of the namespaces'
        names (default %(default)s)""")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    options = parser.parse_args()
    every = {name for names in GROUPS.values() for name in names}
    options.only = set(filter(None, options.only.split(","))) or every - set(GROUPS["tables"])
    if unknown := options.only - every:
        parser.error(f"no such figure: {', '.join(sorted(unknown))}")
    return options


def describe_machine() -> None:
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    say(f"{cpu}, {os.cpu_count()} CPUs, Linux {platform.release()}, load {os.getloadavg()[0]:.1f}")
    say(f"command: {' '.join([sys.executable, *sys.argv])}")


class Bench:
    """The measurements against one running daemon."""

    def __init__(self, options: argparse.Namespace, report: Report, lab: Lab, oracle: Oracle, folder: Path):
        self.options, self.report, self.lab, self.oracle, self.folder = options, report, lab, oracle, folder

    def server(self, service: Service = SERVICE) -> Server:
        return Server(self.lab, self.options.binaries, self.options.database, self.oracle.nodes, service)

    def wants(self, group: str) -> list[str]:
        return [name for name in GROUPS[group] if name in self.options.only]

    def runs(self, default: int) -> int:
        return self.options.runs or default

    @contextlib.contextmanager
    def group(self, title: str):
        """A failure ends the group, not the benchmark."""
        heading(title)
        try:
            yield
        except Failure as failure:
            self.report.fail(str(failure))
        except (OSError, subprocess.CalledProcessError) as failure:
            self.report.fail(repr(failure))

    def answers(self, server: Server) -> None:
        with self.group("Answers against the independent computation"):
            found = verify(self.lab, server, self.oracle, self.options.count, seed=1)
            note = f"of {found.asked:,}; {found.unsound_scopes} unsound scopes, {found.lost} lost"
            for figure in [
                Figure("wrong_answers", found.failures, "answers", 1, found.failures, found.failures, note),
                Figure.of("xdp_share", [found.xdp_share], "of tailored queries", f"of {found.asked:,}", digits=4),
            ]:
                if figure.name in self.options.only:
                    self.report.add(figure)

    def program(self) -> None:
        with self.group("Time of the program (BPF_PROG_TEST_RUN, net)"):
            workloads = workload.of_program_time(self.oracle, workload.cookie_of(self.lab))
            measured = {}
            yardstick = []
            for name in self.wants("program"):
                if name in workloads:
                    figure, hashes = program_time.measure(name, workloads[name], self.runs(15), self.folder)
                    measured[name] = figure.value
                    yardstick += hashes
                    self.report.add(figure)
            if yardstick:
                self.report.add(Figure.of("yardstick_ns", yardstick, "ns", "a SipHash-2-4 of 20 bytes, between the others"))
            program_time.explain(measured)

    def location(self) -> None:
        with self.group("Look-ups in the location table (in the kernel, net)"):
            for name in self.wants("location"):
                for figure in location.measure(name, self.oracle, self.options.database, self.runs(15), self.folder):
                    self.report.add(figure)

    def parity(self, server: Server) -> None:
        with self.group("Both paths, the same queries"):
            with self.server(Service(parity.OTHER_PORT, "off", SERVICE.names)) as slow:
                self.report.add(parity.measure(self.lab, server, slow, self.oracle, self.options.count))

    def run(self, server: Server) -> None:
        if self.wants("answers"):
            self.answers(server)
        if self.wants("program"):
            self.program()
        if self.wants("location"):
            self.location()
        if self.wants("flips"):
            with self.group("A node goes down"):
                self.report.add(flips.measure(self.lab, server, self.oracle, self.runs(15)))
        if self.wants("veth"):
            with self.group("Against a bare reflector over veth"):
                queries = workload.tailored(self.oracle, workload.NAMES, workload.CLIENTS)
                for figure in veth.measure(self.lab, queries, self.runs(5), self.folder):
                    if figure.name in self.options.only:
                        self.report.add(figure)
        if self.wants("rivals"):
            with self.group("Beside other servers over veth"):
                queries = workload.tailored(self.oracle, workload.NAMES, workload.CLIENTS)
                for figure in rivals.measure(self.lab, queries, self.oracle, self.options.database, self.runs(3), self.folder):
                    if figure.name in self.options.only:
                        self.report.add(figure)
        if self.wants("floods"):
            with self.group("Floods"):
                queries = workload.tailored(self.oracle, workload.NAMES, workload.CLIENTS)
                for figure in floods.measure(self.lab, server, queries, self.folder):
                    if figure.name in self.options.only:
                        self.report.add(figure)
        if self.wants("parity"):
            self.parity(server)

    def tables(self) -> None:
        with self.group("256 steering tables"):
            for figure in tables.measure(self.server(), self.oracle, self.options.database):
                if figure.name in self.options.only:
                    self.report.add(figure)

    def health(self) -> None:
        with self.group("Health, from checks and decisions to packets"):
            wanted = self.wants("health")
            for figure in health.measure(wanted, self.lab, self.options.binaries, self.options.database, self.oracle,
                                         self.folder):
                if figure.name in wanted:
                    self.report.add(figure)

    def names(self) -> None:
        with self.group(f"A zone of {static_names.NAMES:,} names (BPF_PROG_TEST_RUN, net)"):
            with self.server(static_names.service(self.folder)):
                for figure in static_names.measure(self.wants("names"), self.runs(7), self.folder):
                    self.report.add(figure)

    def starts(self, first: Start) -> None:
        """`first` is the start of the daemon that all else was measured on."""
        with self.group("From exec to the first answer out of XDP, database not in the page cache"):
            seen = [first]
            try:
                while len(seen) < self.runs(3):
                    with started(self.lab, self.server(), self.options.database) as start:
                        seen.append(start)
            except Failure as failure:
                self.report.fail(f"only {len(seen)} starts: {failure}")
            note = f"process at its peak {max(s.process for s in seen):.0f} MiB, of which mapped files and maps " \
                   f"{seen[0].mapped:.0f}; BPF maps {seen[0].maps:.0f} MiB; the value is their sum"
            for figure in [
                Figure.of("cold_start_s", [start.seconds for start in seen], "s"),
                Figure.of("peak_mib", [start.memory for start in seen], "MiB", note, digits=0),
            ]:
                if figure.name in self.options.only:
                    self.report.add(figure)


def run(options: argparse.Namespace, report: Report) -> None:
    check_host(options.database)
    native.build()
    oracle = Oracle(options.database, read_nodes(COMMON / "nodes20.tsv"))
    with tempfile.TemporaryDirectory(prefix="nearcast-bench-") as folder, Lab(options.prefix) as lab:
        bench = Bench(options, report, lab, oracle, Path(folder))
        with started(lab, server := bench.server(), options.database) as first:
            say(f"first answer out of XDP after {first.seconds:.1f} s; fast path {server.mode()}")
            bench.run(server)
        if bench.wants("tables"):
            bench.tables()
        if bench.wants("health"):
            bench.health()
        if bench.wants("names"):
            bench.names()
        if bench.wants("starts"):
            bench.starts(first)


def main() -> None:
    options = arguments()
    began = time.monotonic()
    report = Report(options.json)
    heading("Nearcast's figures")
    describe_machine()
    favour(os.getpid())
    with told("bench"):
        run(options, report)
    heading(f"Figures, {time.monotonic() - began:.0f} s")
    for figure in report.figures:
        say(figure.line())
    for failure in report.failures:
        say(f"NOT MEASURED: {failure.splitlines()[0]}")
    sys.exit(1 if report.wrong() else 0)


main()
