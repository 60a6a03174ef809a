"""Measures the slow path beside NSD, Knot and gdnsd: static names, over a veth, one core each side, fast path off."""
import argparse
import contextlib
import os
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent.parent / "common")]
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

import servers
from console import Failure, heading, say, waiting
from ending import told
from figures import Figure, Report
from lab import Lab
from load import Client, prepare, write_queries
from servers import NEARCAST, NSD

SIZES = {1_000: "", 100_000: "_100k"}
# One freeze of a shared machine fills the last hundredth of two seconds: the tail takes more samples than the rate.
LATENCY_PASSES = 3
GENERATORS = {"qps": "dnsperf", "open_qps": "kxdpgun"}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/bench/peers", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, one object a line")
    parser.add_argument("--rounds", type=int, default=5, help="of all servers in turn (default %(default)s)")
    parser.add_argument("--servers", default="", metavar="NAME,…",
                        help=f"of {', '.join(servers.ADDRESSES)} (default all)")
    parser.add_argument("--prefix", default="nearcast-peers", help="of the namespaces' names (default %(default)s)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    options = parser.parse_args()
    options.servers = list(filter(None, options.servers.split(","))) or list(servers.ADDRESSES)
    if unknown := set(options.servers) - set(servers.ADDRESSES):
        parser.error(f"no such server: {', '.join(sorted(unknown))}")
    return options


class Samples:
    """What each server gave, round by round, for one size of zone."""

    def __init__(self):
        self.of: dict[str, dict[str, list[float]]] = {}

    def add(self, server: str, what: str, value: float) -> None:
        self.of.setdefault(what, {}).setdefault(server, []).append(value)

    def line(self, server: str) -> str:
        parts = []
        for what, unit in (("qps", "/s dnsperf"), ("open_qps", "/s kxdpgun"), ("p50", "µs p50"), ("p90", "µs p90"),
                           ("p99", "µs p99")):
            values = self.of[what][server]
            parts.append(f"{statistics.median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f}) {unit}")
        return f"{server:9} {', '.join(parts)}"


def measure(client: Client, names: list[str], rounds: int) -> Samples:
    """Rounds of all servers in turn, so that a disturbance of the machine meets each."""
    samples = Samples()
    for _ in range(rounds):
        rates = {}
        for server in names:
            rate = client.closed_loop(server)
            rates[server] = rate.answered
            samples.add(server, "qps", rate.answered)
            samples.add(server, "open_qps", client.open_loop(server, rate.answered).answered)
        # The same load for all: half of what NSD, or else the slowest, takes.
        half = rates.get(NSD, min(rates.values())) / 2
        for _ in range(LATENCY_PASSES):
            for server in names:
                for what, value in client.latency(server, half).items():
                    samples.add(server, what, value)
    return samples


def figures(samples: Samples, names: list[str], suffix: str) -> list[Figure]:
    made = []
    for peer in names:
        if peer == NEARCAST:
            continue
        for what, title in (("qps", "slow_qps"), ("open_qps", "slow_open_qps"), ("p90", "slow_p90"), ("p99", "slow_p99")):
            ours, theirs = samples.of[what][NEARCAST], samples.of[what][peer]
            note = f"{statistics.median(ours):,.0f} against {statistics.median(theirs):,.0f} " \
                   + ("µs at half of NSD's rate" if what in ("p90", "p99") else f"answers a second, {GENERATORS[what]}")
            made.append(Figure.of(f"{title}_ratio_{peer}{suffix}", [a / b for a, b in zip(ours, theirs)], "×", note))
    return made


def run(options: argparse.Namespace, report: Report) -> None:
    there = servers.installed()
    for name in options.servers:
        if name not in there:
            raise Failure(f"{name} is missing: run `tools/setup --with bench-peers`, or leave it out by --servers")
    if (os.cpu_count() or 1) < 2:
        raise Failure("needs two CPUs: one for the client, one for the server")
    load = os.getloadavg()[0]
    say(f"load of the machine {load:.1f}" + (": NOT QUIET, the figures are of little worth" if load > 0.7 else ""))
    with tempfile.TemporaryDirectory(prefix="nearcast-peers-") as scratch, Lab(options.prefix) as lab:
        prepare(lab)
        for size, suffix in SIZES.items():
            heading(f"{size:,} names")
            folder = Path(scratch) / str(size)
            zone = servers.write_zone(folder / "zone", size)
            queries = write_queries(folder / "queries", size)
            with contextlib.ExitStack() as stack:
                for name in options.servers:
                    stack.enter_context(servers.started(lab, name, folder / name, zone, options.binaries))
                with waiting(f"{options.rounds} rounds of {len(options.servers)} servers"):
                    samples = measure(Client(lab, queries), options.servers, options.rounds)
            for name in options.servers:
                say(samples.line(name))
            for figure in figures(samples, options.servers, suffix):
                report.add(figure)


def main() -> None:
    options = arguments()
    if os.geteuid():
        sys.exit("bench: needs root: namespaces")
    report = Report(options.json)
    heading("The slow path beside other servers")
    with told("bench"):
        run(options, report)


main()
