"""What one build gives in one round: each group of figures, by the tools of this commit and the programs of that build.

Every function yields figures as they come. What is asked of a build is its command line, its control socket and its pins.
"""
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import flips
import health
import load
import program_time
import servers
import veth
import workload
from builds import Build
from console import Failure, say
from control import Control
from figures import Figure
from lab import Lab
from napi import Pair
from oracle import Node, Oracle
from server import NAME, Server, Service, configuration
from starting import Start, started
from tables import Usage

PROGRAM_RUNS, FLIPS, RELOADS, RECORDS, FLOODS, DNSPERF_RUNS = 5, 10, 3, 200, 2, 2
PROGRAM = ["tailored_hot_ns", "tailored_set_ns", "tailored_hot_v6_ns", "tailored_set_v6_ns", "tailored_hot_edns_ns",
           "tailored_hot_cookie_ns", "tailored_hot_noecs_ns", "declined_name_ns", "declined_port_ns"]
YARDSTICK = "yardstick_ns"
# By group, in the order in which they are measured.
FIGURES = {
    "start": ["cold_start_s", "start_cpu_s", "peak_mib", "maps_mib"],
    "program": [*PROGRAM, YARDSTICK],
    "answers": ["answers_per_s", "answer_cpu_ns"],
    "flips": ["flip_ms"],
    "flips under load": ["flip_load_ms", "flip_load_p99_ms"],
    "records": ["record_ms", "record_cpu_ms"],
    "reloads": ["reload_ms", "reload_cpu_ms", "settled_mib"],
    "slow path": ["slow_qps", "slow_p50_us", "slow_p90_us", "slow_mib"],
}
MORE_IS_BETTER = {"answers_per_s", "slow_qps"}
SLOW_NAMES = 1_000
# Below what any build answers: latencies at the same rate of both.
SLOW_RATE = 30_000
SETTLE_S = 1


@dataclass
class Stage:
    """What all rounds of both builds have in common. `sockets` is a lab without XDP."""

    lab: Lab
    sockets: Lab
    oracle: Oracle
    database: Path
    folder: Path

    def __post_init__(self) -> None:
        self.zone = servers.write_zone(self.folder / "zone", SLOW_NAMES)
        self.queries = load.write_queries(self.folder / "queries", SLOW_NAMES)
        self.working_set = workload.tailored(self.oracle, workload.NAMES, workload.CLIENTS)

    def server(self, build: Build) -> Server:
        service = Service(names=(NAME, *workload.NAMES))
        server = Server(self.lab, build.binaries, self.database, self.oracle.nodes, service)
        self.write(server, self.oracle.nodes)
        return server

    def write(self, server: Server, nodes: list[Node]) -> None:
        """The configuration. A file that has changed waits for `nearcast reload`."""
        server.config.write_text(configuration(server.folder, self.database, nodes, server.service) + "watch: false\n")


def start(seen: Start, server: Server) -> Iterator[Figure]:
    yield Figure.of("cold_start_s", [seen.seconds], "s")
    yield Figure.of("start_cpu_s", [Usage.of(server.process.pid).cpu], "s")
    yield Figure.of("peak_mib", [seen.memory], "MiB", digits=1)
    yield Figure.of("maps_mib", [seen.maps], "MiB", digits=1)


def program(stage: Stage) -> Iterator[Figure]:
    workloads = workload.of_program_time(stage.oracle, workload.cookie_of(stage.lab))
    yardstick = []
    for name in PROGRAM:
        figure, hashes = program_time.measure(name, workloads[name], PROGRAM_RUNS, stage.folder)
        yardstick += hashes
        yield figure
    yield Figure.of(YARDSTICK, yardstick, "ns")


def answers(stage: Stage) -> Iterator[Figure]:
    files = stage.working_set.write(stage.folder)
    with Pair(stage.lab) as pair:
        runs = [veth.flood(pair, *files, answers=True) for _ in range(FLOODS)]
    yield Figure.of("answers_per_s", [run.rate for run in runs], "a second", digits=0)
    yield Figure.of("answer_cpu_ns", [run.cost for run in runs], "ns", digits=1)


def records(server: Server) -> Iterator[Figure]:
    """One record after the other, over one connection: from the request to the answer that says it is served."""
    took = []
    with Control(server.socket) as control:
        before = Usage.of(server.process.pid).cpu
        for number in range(RECORDS):
            rrset = {"name": "mail.example.com", "type": "A", "ttl": 60, "records": [f"198.18.1.{number % 250 + 1}"]}
            began = time.monotonic()
            control.patch("/v1/zones/example.com/rrsets", {"changes": [rrset]})
            took.append((time.monotonic() - began) * 1e3)
        spent = Usage.of(server.process.pid).cpu - before
    yield Figure.of("record_ms", took, "ms", digits=3)
    yield Figure.of("record_cpu_ms", [spent / RECORDS * 1e3], "ms of CPU", digits=3)


def reloads(stage: Stage, server: Server) -> Iterator[Figure]:
    """A node moves, so that the steering tables are compiled again. `nearcast reload` returns when they serve."""
    first, *others = stage.oracle.nodes
    pid, took, spent = server.process.pid, [], []
    for number in range(RELOADS):
        moved = replace(first, latitude=first.latitude - 1 - number)
        stage.write(server, [moved, *others])
        before, began = Usage.of(pid).cpu, time.monotonic()
        server.ask("reload")
        took.append((time.monotonic() - began) * 1e3)
        spent.append((Usage.of(pid).cpu - before) * 1e3)
    time.sleep(SETTLE_S)
    yield Figure.of("reload_ms", took, "ms", digits=1)
    yield Figure.of("reload_cpu_ms", spent, "ms of CPU", digits=0)
    yield Figure.of("settled_mib", [Usage.of(pid).memory], "MiB", digits=1)


def slow_path(stage: Stage, build: Build) -> Iterator[Figure]:
    """A daemon of its own, with its fast path off, and one zone of static addresses."""
    with tempfile.TemporaryDirectory(dir=stage.folder) as scratch:
        folder = Path(scratch) / "server"
        with servers.started(stage.sockets, servers.NEARCAST, folder, stage.zone, build.binaries) as running:
            client = load.Client(stage.sockets, stage.queries)
            rates = [client.closed_loop(servers.NEARCAST).answered for _ in range(DNSPERF_RUNS)]
            latency = client.latency(servers.NEARCAST, SLOW_RATE)
            own = Usage.of(running.process.pid).own
    yield Figure.of("slow_qps", rates, "a second", digits=0)
    yield Figure.of("slow_p50_us", [latency["p50"]], "µs", digits=1)
    yield Figure.of("slow_p90_us", [latency["p90"]], "µs", digits=1)
    yield Figure.of("slow_mib", [own], "MiB", digits=1)


class Results:
    """By figure and side: a value a round, and why there is none."""

    def __init__(self):
        self.values: dict[str, dict[str, list[float]]] = {}
        self.units: dict[str, str] = {}
        self.reasons: dict[str, dict[str, str]] = {}

    def add(self, side: str, figure: Figure) -> None:
        self.values.setdefault(figure.name, {}).setdefault(side, []).append(figure.value)
        self.units[figure.name] = figure.unit

    def missing(self, side: str, figures: Iterable[str], reason: str) -> None:
        for name in figures:
            self.reasons.setdefault(name, {})[side] = reason

    def take(self, side: str, group: str, wanted: set[str], figures: Callable[[], Iterable[Figure]]) -> None:
        """A failure ends the group, not the round."""
        left = [name for name in FIGURES[group] if name in wanted]
        if not left:
            return
        try:
            for figure in figures():
                if figure.name in left:
                    self.add(side, figure)
                    left.remove(figure.name)
        except Exception as problem:  # whatever an older build answers in another way
            reason = str(problem) if isinstance(problem, Failure) else repr(problem)
            self.missing(side, left, reason)
            say(f"{side}: {group}: {reason}")


def measure(stage: Stage, build: Build, wanted: set[str], results: Results) -> None:
    """One round of one build."""
    _live(stage, build, wanted, results)
    results.take(build.side, "slow path", wanted, lambda: slow_path(stage, build))


def _live(stage: Stage, build: Build, wanted: set[str], results: Results) -> None:
    """All groups that one daemon with its fast path serves, the reloads last: they move its nodes."""
    side = build.side
    live = [group for group in FIGURES if group != "slow path"]
    if not any(set(FIGURES[group]) & wanted for group in live):
        return
    try:
        server = stage.server(build)
        with started(stage.lab, server, stage.database) as seen:
            takes = {
                "start": lambda: start(seen, server),
                "program": lambda: program(stage),
                "answers": lambda: answers(stage),
                "flips": lambda: [flips.measure(stage.lab, server, stage.oracle, FLIPS)],
                "flips under load": lambda: health.flips(stage.lab, server, stage.oracle, stage.folder),
                "records": lambda: records(server),
                "reloads": lambda: reloads(stage, server),
            }
            for group in live:
                results.take(side, group, wanted, takes[group])
    except (Failure, OSError) as problem:
        # The daemon did not start, or did not stop.
        results.missing(side, (name for group in live for name in FIGURES[group]), str(problem))
        say(f"{build}: {problem}")
