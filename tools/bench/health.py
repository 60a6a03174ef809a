"""Health: from a decision, or a failure, to the packets, and what asking thousands of nodes costs."""
import collections
import contextlib
import dataclasses
import math
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path[1:1] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("chaos", "drill")]

import kernel_maps
import native
import ports
import workload
from child import end
from console import Failure, waiting
from control import Control
from daemon import Daemon, Pace, checks
from figures import Figure
from flood import Flood
from lab import Lab
from oracle import Node, Oracle
from server import NAME, Server, Service, configuration
from stamps import Stamps, position
from starting import favour
from tables import Usage, sites
from town import Town
from verify import exchange, random_networks

FLIPS = 250  # down, and up again
SETTLED_S = 0.004
PAUSE_S = 0.01
# Nodes that fail one after the other, fewer than the brake allows, and the pace that the bar is of.
FAILING, ROUNDS = 8, 2
FAILURES = Pace(interval=1000, timeout=500, rise=1, slow_start=0, hold_s=5)
MANY, MANY_INTERVAL_S, MANY_SECONDS = 4096, 5, 60
POOLS = 8
POOL_NAMES = [f"p{number}.example.com" for number in range(POOLS)]
START_LIMIT_S = 600
# Descriptors of the unit (packaging).
DESCRIPTORS = 65536
TOLD = 1000
JUDGED = 500  # of each pool's name
TLS_NODES, TLS_SECONDS = 150, 20


def _p99(samples: list[float]) -> float:
    return sorted(samples)[math.ceil(len(samples) * 0.99) - 1]


# MARK: a decision


def flips(lab: Lab, server: Server, oracle: Oracle, folder: Path) -> list[Figure]:
    """From a decision, and from the request for it, to the last of a million answers a second that does not follow it.

    The generator itself sees the node's word change: no other program need be awake for that."""
    node = oracle.nodes[0].id
    slot = next(entry["slot"] for entry in server.ask("inspect", "nodes")["nodes"] if entry["node"] == node)
    queries, watched = workload.tailored(oracle, [NAME], workload.CLIENTS), (kernel_maps.folder() / "node_words", slot)
    decided, asked_for, inside = [], [], []
    with Flood(lab, queries, folder, 0, position(NAME), watched) as load:
        favour(server.process.pid)
        with Stamps(load.process, oracle.nodes) as stamps, Control(server.socket) as control:
            with waiting(f"{FLIPS} times {node} down and up under full load"):
                for _ in range(FLIPS):
                    asked = time.monotonic_ns()
                    inside.append(control.set_node(node, "down")["tookMicroseconds"] / 1e3)
                    time.sleep(SETTLED_S)
                    last, changed = stamps.last(node), stamps.word_changed()
                    if not asked < changed:
                        raise server.failure(f"the word of {node} did not change")
                    asked_for.append(max(0, last - asked) / 1e6)
                    decided.append(max(0, last - changed) / 1e6 + inside[-1])
                    control.set_node(node, "auto")
                    time.sleep(PAUSE_S)
                    if stamps.last(node) < asked:
                        raise server.failure(f"{node} is up again, and nobody is sent there")
        count = load.count()
    if count.lost:
        raise server.failure(f"{count.lost:,} of {count.sent:,} queries were lost")
    note = (f"to the last old answer of {count.rate:,.0f} a second, none lost; of it from the decision to the store: median "
            f"{statistics.median(inside):.3f}, 99th percentile {_p99(inside):.3f} ms")
    request = f"from the request at the socket: median {statistics.median(asked_for):.2f}, 99th percentile {_p99(asked_for):.2f} ms"
    return [Figure.of("flip_load_ms", decided, "ms", note, digits=3),
            Figure.of("flip_load_p99_ms", [_p99(decided)], "ms", f"of {len(decided)} flips; {request}", digits=3)]


# MARK: a failure


class _Failing(Daemon):
    """Its nodes are asked over TCP alone."""

    def __init__(self, lab: Lab, binaries: Path, database: Path, nodes: list[Node]):
        super().__init__(lab, binaries, database, nodes, FAILURES)
        for node in nodes:
            self.text = self.text.replace(f"checks: [{checks(node, self.folder)}]",
                                          f"checks: [{{type: tcp, port: {ports.TCP}}}]")
        self.config.write_text(self.text)


def _detections(town: Town, stamps: Stamps, nodes: list[Node], begin, finish) -> list[float]:
    """Seconds from each node's failure to the last answer that names it."""
    failed = {}
    for node in nodes:
        begin(node)
        failed[node.id] = time.monotonic()
        # Each at another point of its interval.
        time.sleep(FAILURES.interval / 1e3 / len(nodes))
    time.sleep(FAILURES.detection_s + 1.5)
    took = [stamps.last(node.id) / 1e9 - failed[node.id] for node in nodes]
    for node in nodes:
        finish(node)
    if max(took) > FAILURES.detection_s + 1:
        raise Failure(f"a node was answered {max(took):.1f} s after it failed, and still is")
    return took


def failures(lab: Lab, server: Daemon, oracle: Oracle, folder: Path) -> list[Figure]:
    """Nodes fail by turns, loudly and silently, at an interval of a second and three failures."""
    figures: list[Figure] = []
    queries = workload.tailored(oracle, [NAME], workload.CLIENTS)
    with Town(lab, oracle.nodes, folder) as town, server, Flood(lab, queries, folder, 200_000, position(NAME)) as load:
        with Stamps(load.process, oracle.nodes) as stamps:
            # Until the first results are in, and everybody is answered.
            time.sleep(3)
            for name, begin, finish in (
                    ("failure_refused_s", lambda node: town.serve(node, "killed"), lambda node: town.serve(node, "well")),
                    ("failure_silent_s", lambda node: town.block(node, "filtered", True),
                     lambda node: town.block(node, "filtered", False))):
                took = []
                for number in range(ROUNDS):
                    nodes = oracle.nodes[number * FAILING:(number + 1) * FAILING]
                    with waiting(name), _explained(server):
                        took += _detections(town, stamps, nodes, begin, finish)
                    time.sleep(FAILURES.hold_s)
                note = (f"of {len(took)} nodes, the longest counts; from the failure to the last answer that names the node, "
                        f"median {statistics.median(took):.2f}")
                figures.append(Figure(name, round(max(took), 3), "s", len(took), round(min(took), 3), round(max(took), 3),
                                      note))
        count = load.count()
    if count.lost:
        raise server.failure(f"{count.lost:,} of {count.sent:,} queries were lost")
    server.detach()
    return figures


@contextlib.contextmanager
def _explained(server: Server):
    """Says of a failure what the daemon said."""
    try:
        yield
    except Failure as failure:
        raise server.failure(str(failure)) from failure


# MARK: many


def _probes(server: Server) -> dict[str, float]:
    """Results by kind, and `delayed`."""
    with Control(server.socket) as control:
        text = control.metrics()
    found: dict[str, float] = collections.defaultdict(float)
    for kind, value in re.findall(r'^nearcast_probes_total\{node="[^"]*",result="(\w+)"\} (\S+)', text, re.MULTILINE):
        found[kind] += float(value)
    delayed = re.search(r"^nearcast_probes_delayed_total (\S+)", text, re.MULTILINE)
    return found | {"delayed": float(delayed[1]) if delayed else 0.0}


@contextlib.contextmanager
def _answering(town: Town):
    """The C server for all of the town's nodes."""
    command = ["nsenter", f"--net={town.namespace}", "--", str(native.tool("answer")), str(ports.TCP), str(ports.HTTP)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        if process.stdout.readline() != "ready\n":
            raise Failure("the nodes' server did not start")
        favour(process.pid)
        yield
    finally:
        end(process)


def _round(server: Server, seconds: float) -> tuple[float, dict[str, float], float]:
    """Seconds of CPU, results by kind, and seconds by the clock."""
    before, began, start = _probes(server), time.monotonic(), Usage.of(server.process.pid)
    time.sleep(seconds)
    cpu, after = Usage.of(server.process.pid).cpu - start.cpu, _probes(server)
    return cpu, {kind: after[kind] - before.get(kind, 0) for kind in after}, time.monotonic() - began


def _missed(done: float, checks: int, seconds: float) -> tuple[float, float]:
    """Probes fewer than the interval promises, beyond what its jitter of a twentieth explains; and those it promises."""
    expected = checks * seconds / MANY_INTERVAL_S
    jitter = seconds * (0.05 * MANY_INTERVAL_S) ** 2 / 3 / MANY_INTERVAL_S ** 3 + 1 / 6
    return max(0.0, expected - done - 3 * math.sqrt(checks * jitter)), expected


def many(wanted: set[str], lab: Lab, server: Server, nodes: list[Node], oracle: Oracle, world: Oracle, folder: Path):
    """4,096 nodes, each asked by TCP, ICMP and HTTP. Yields figures as they come."""
    with Town(lab, nodes, folder, serve=False) as town, _answering(town), server:
        favour(server.process.pid)
        with waiting(f"the first results of {len(nodes):,} nodes"):
            time.sleep(2 * MANY_INTERVAL_S)
        with waiting(f"{MANY_SECONDS} s of {3 * len(nodes):,} checks"):
            cpu, results, seconds = _round(server, MANY_SECONDS)
        done = results["passed"] + results["failed"] + results["unasked"]
        missed, expected = _missed(done, 3 * len(nodes), seconds)
        told = ", ".join(f"{kind} {count:,.0f}" for kind, count in results.items())
        if results["failed"] > results["passed"] / 1000:
            raise server.failure(f"healthy nodes failed: {told}")
        yield Figure.of("checks_cpu", [cpu / seconds], "of a CPU",
                        f"{done / seconds:,.0f} checks a second, {cpu / done * 1e6:.0f} µs each; {told}", digits=4)
        yield Figure.of("checks_missed", [missed], "probes", f"of {expected:,.0f} in {seconds:.0f} s", digits=0)
        if "thousand_ms" in wanted:
            yield _thousand(lab, server, world, oracle, folder)


def _wrong(lab: Lab, world: Oracle, drained: set[str]) -> tuple[int, int]:
    """How many answers are not the nearest node of the name's pool that is left, and of how many."""
    wrong = 0
    for number, name in enumerate(POOL_NAMES):
        others = frozenset(drained | {node.id for node in world.nodes if node.index % POOLS != number})
        networks = random_networks(world, 4, JUDGED, number)
        for network, reply in zip(networks, exchange(lab, networks, name)):
            chosen = [world.by_address.get(address) for address in reply.addresses] if reply else []
            place = world.ecs_place(network.network_address)
            if len(chosen) != 1 or chosen[0] is None or not world.accepts(place, chosen[0], others):
                wrong += 1
    return wrong, JUDGED * len(POOL_NAMES)


def _thousand(lab: Lab, server: Server, world: Oracle, oracle: Oracle, folder: Path) -> Figure:
    """A thousand nodes leave by one request, as fast as the daemon takes it."""
    chosen = [node.id for node in world.nodes[:TOLD]]
    queries = workload.tailored(oracle, POOL_NAMES, workload.CLIENTS)
    with Flood(lab, queries, folder, 0, position(POOL_NAMES[0])) as load:
        with Stamps(load.process, world.nodes) as stamps, Control(server.socket) as control:
            with waiting(f"{TOLD:,} nodes drained at once under full load"):
                control.metrics()  # the connection is open now
                began = time.monotonic_ns()
                took = control.set_nodes(chosen, "drained", reason="a thousand")["tookMicroseconds"]
                told = time.monotonic_ns()
                time.sleep(1)
            wrong, judged = _wrong(lab, world, set(chosen))
            last = max(stamps.last(id) for id in chosen)
        count = load.count()
    if count.lost or last > told + 5_000_000:
        raise server.failure(f"{count.lost:,} of {count.sent:,} queries were lost; the last answer that names a drained node "
                             f"came {(last - told) / 1e6:.1f} ms after the last request")
    if wrong:
        raise server.failure(f"{wrong:,} of {judged:,} answers were not the nearest node that was left")
    return Figure.of("thousand_ms", [(last - began) / 1e6], "ms",
                     f"{took / 1e3:.1f} ms of it in the daemon, to the last store; answered after {(told - began) / 1e6:.0f} ms; "
                     f"{count.rate:,.0f} queries a second meanwhile, none lost; {judged:,} answers under that load judged, none wrong",
                     digits=1)


def many_server(lab: Lab, binaries: Path, database: Path, oracle: Oracle) -> tuple[Server, list[Node]]:
    """One pool of all would have more candidate lists than there may be."""
    places = sites(oracle, count=MANY)
    health = (f"{{interval: {MANY_INTERVAL_S}s, checks: [{{type: tcp, port: {ports.TCP}}}, {{type: icmp}}, "
              f"{{type: http, port: {ports.HTTP}, path: {ports.PATH}}}]}}")
    server = Server(lab, binaries, database, places, Service(names=(), health=health))
    lines = server.config.read_text().splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("  - {id: world"))
    lines[at:at + 1] = [f"  - {{id: p{number}, nodes: [{', '.join(node.id for node in places[number::POOLS])}]}}"
                        for number in range(POOLS)]
    lines += [f"  - {{name: {name}, pool: p{number}, policy: judged}}" for number, name in enumerate(POOL_NAMES)]
    server.config.write_text("\n".join(lines) + "\n")
    server.start_limit_s = START_LIMIT_S
    return server, places


# MARK: TLS


def tls(lab: Lab, server: Daemon, nodes: list[Node], folder: Path) -> Figure:
    """Handshake, chain, name, request and body."""
    with Town(lab, nodes, folder), server:
        with waiting("the first results"):
            time.sleep(3)
        with waiting(f"{TLS_SECONDS} s of {len(nodes)} HTTPS checks a second"):
            cpu, results, _ = _round(server, TLS_SECONDS)
    if results["passed"] < 0.9 * TLS_SECONDS * len(nodes):
        raise server.failure(f"healthy nodes failed: {results}")
    server.detach()
    return Figure.of("check_https_ms", [cpu / results["passed"] * 1e3], "ms of CPU",
                     f"of {results['passed']:,.0f}, all that the daemon does included", digits=3)


def measure(wanted: list[str], lab: Lab, binaries: Path, database: Path, oracle: Oracle, folder: Path):
    """Yields figures as they come."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, hard), hard))
    if {"flip_load_ms", "flip_load_p99_ms"} & set(wanted):
        with Server(lab, binaries, database, oracle.nodes) as server:
            yield from flips(lab, server, oracle, folder)
    if {"failure_refused_s", "failure_silent_s"} & set(wanted):
        yield from failures(lab, _Failing(lab, binaries, database, oracle.nodes), oracle, folder)
    if {"checks_cpu", "checks_missed", "thousand_ms"} & set(wanted):
        server, nodes = many_server(lab, binaries, database, oracle)
        yield from many(set(wanted), lab, server, nodes, oracle, Oracle(database, nodes), folder)
    if "check_https_ms" in wanted:
        nodes = [dataclasses.replace(node, index=5 * node.index + 2) for node in sites(oracle, count=TLS_NODES)]
        server = Daemon(lab, binaries, database, nodes, Pace(interval=1000, timeout=900, slow_start=0))
        yield tls(lab, server, nodes, server.folder)
