"""Breaks nodes and the daemon at random under load, and checks every answer against what was broken at that time."""
import argparse
import contextlib
import json
import os
import platform
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("common", "drill", "bench"):
    sys.path.insert(1, str(HERE.parent / folder))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

import native
import workload
from askers import Asker, StampReader
from console import Failure, heading, say, waiting
from control import Control
from daemon import Daemon, Pace
from ending import told
from flood import Flood
from judgement import Judgement
from lab import Lab, check_host
from oracle import Oracle, read_nodes
from plan import plan
from scenarios import SCENARIOS
from scene import Scene, Unexpected
from server import NAME
from stamps import Stamps, position
from town import Town
from trial import Trial
from words import Words

CLIENTS = 5000
# Nodes at each location of the list.
TWINS = 2
SETTLED_S = 1


def nodes_of_town() -> list:
    """Two nodes for each location of the list, a few kilometres apart."""
    places = read_nodes(HERE.parent / "common" / "nodes20.tsv")
    return [replace(place, index=number * len(places) + place.index, id=f"{place.id}{'abc'[number]}",
                    latitude=place.latitude + 0.2 * number)
            for number in range(TWINS) for place in places]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="seed of the random schedule (default %(default)s)")
    parser.add_argument("--seconds", type=int, default=300, help="length of the schedule (default %(default)s)")
    parser.add_argument("--rate", type=int, default=200_000, help="queries per second (default %(default)s)")
    parser.add_argument("--bar", type=float, default=5, metavar="MS", help="""longest time from a change of a node's state
        to the last answer that does not follow it (default %(default)s)""")
    parser.add_argument("--detection", type=float, metavar="MS", help="""longest time from a failure to the last
        answer that does not follow it (default: three and a half intervals and a timeout)""")
    parser.add_argument("--slow", type=int, default=1, metavar="TIMES", help="""let the daemon check this many times less
        often than expected, to show that wrong answers are detected""")
    parser.add_argument("--scenario", metavar="NAME,…", help="""run these scenarios, or `all`, instead of a random schedule: """
                        + ", ".join(SCENARIOS))
    parser.add_argument("--quiet", action="store_true", help="neither reload nor restart the daemon")
    parser.add_argument("--show", action="store_true", help="only print the schedule")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result to FILE as one JSON object")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-chaos"),
                        help="prefix of the names of namespaces (default %(default)s)")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    options = parser.parse_args()
    options.scenarios = list(SCENARIOS) if options.scenario == "all" else (options.scenario or "").split(",")
    if options.scenario and (unknown := set(options.scenarios) - SCENARIOS.keys()):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    return options


def _await_up(words: Words, nodes: list, limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while any(words.state(node.id) != "up" for node in nodes):
        if time.monotonic() > deadline:
            raise Failure("not all nodes came up: " + ", ".join(
                f"{node.id} {words.state(node.id)}" for node in nodes if words.state(node.id) != "up"))
        time.sleep(0.1)


def _journals(daemon: Daemon, nodes: list) -> dict[str, list[str]]:
    with Control(daemon.socket) as control:
        return {node.id: [line["to"] for line in reversed(control.get(f"/v1/nodes/{node.id}/history?limit=10000"))]
                for node in nodes}


class Place:
    """Everything that a trial or a scenario takes place in, with all nodes up, while a `with` block runs."""

    def __init__(self, options: argparse.Namespace, pace: Pace):
        self.options, self.pace = options, pace
        self.oracle = Oracle(options.database, nodes_of_town())
        self.nodes = self.oracle.nodes
        self.lab = Lab(options.prefix)

    def __enter__(self) -> "Place":
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.lab)
            self.daemon = Daemon(self.lab, self.options.binaries, self.options.database, self.nodes, self.pace)
            self.town = stack.enter_context(Town(self.lab, self.nodes, self.daemon.folder))
            stack.enter_context(self.daemon)
            stack.callback(lambda: (self.daemon.stop(), self.daemon.detach()))
            slots = {node["slot"]: node["node"] for node in self.daemon.ask("inspect", "nodes")["nodes"]}
            self.words = stack.enter_context(Words(slots))
            _await_up(self.words, self.nodes, 30 * self.options.slow)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception) -> None:
        self._stack.__exit__(*exception)


def storm(options: argparse.Namespace) -> Judgement:
    """The random schedule."""
    judged_by = Pace()
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(Place(options, replace(judged_by, interval=judged_by.interval * options.slow)))
        nodes, words = place.nodes, place.words
        steps = plan(options.seed, options.seconds, [node.id for node in nodes], options.quiet)
        first = len(words.seen)
        queries = workload.tailored(place.oracle, [NAME], CLIENTS)
        load = stack.enter_context(Flood(place.lab, queries, place.daemon.folder, options.rate, position(NAME)))
        readers = [stack.enter_context(StampReader(stack.enter_context(Stamps(load.process, nodes))))]
        askers = [stack.enter_context(Asker(place.lab, place.oracle, *kind)) for kind in (
            ("ecs", 4, "udp", 1), ("ecs6", 6, "udp", 2), ("tcp", 4, "tcp", 3))]
        trial = Trial(place.town, place.daemon, nodes)
        began = time.monotonic()
        with waiting(f"{options.seconds} s of {len(steps)} steps, seed {options.seed}"):
            trial.run(steps)
        with waiting("until all nodes are back"):
            time.sleep(SETTLED_S)
            try:
                _await_up(words, nodes, judged_by.return_s * options.slow + judged_by.slow_start / 1e3 + 2)
            except Failure as failure:
                trial.failures.append(str(failure))
        end = time.monotonic()
        for thread in [*readers, *askers, words]:
            thread.__exit__()
        return Judgement(options, judged_by, trial, words, first, [*readers, *askers], load.count(),
                         _journals(place.daemon, nodes), began, end)


def scenarios(options: argparse.Namespace) -> list[str]:
    """Returns what was not as it should be."""
    failures = []
    pace = Pace()
    with Place(options, pace) as place, Asker(place.lab, place.oracle, "ecs", 4, "udp", 1) as asker:
        scene = Scene(place.lab, place.town, place.daemon, place.oracle, place.words, pace)
        for name in options.scenarios:
            heading(f"{name}: {SCENARIOS[name].__doc__}")
            try:
                SCENARIOS[name](scene)
            except Unexpected as wrong:
                failures.append(f"{name}: {wrong}")
                say(f"WRONG: {wrong}")
                scene.mend()
            with waiting("until all nodes are back"):
                scene.calm()
        failures += [f"{len(found)} queries {what}, the first: {found[0][1]}"
                     for what, found in (("lost", asker.lost), ("empty", asker.empty)) if found]
        say(f"{asker.asked:,} queries by clients meanwhile")
    return failures


def main() -> None:
    options = arguments()
    if options.show:
        for step in plan(options.seed, options.seconds, [node.id for node in nodes_of_town()], options.quiet):
            print(f"{step.at:8.2f}  {step}")
        return
    heading("Chaos")
    say(f"{os.cpu_count()} CPUs, Linux {platform.release()}, load {os.getloadavg()[0]:.1f}")
    say(f"command: {' '.join([sys.executable, *sys.argv])}")
    with told("chaos"):
        check_host(options.database)
        native.build()
        if options.scenario:
            failures = scenarios(options)
            heading("Everything went as it should" if not failures else "WRONG")
            for failure in failures:
                say(failure)
            sys.exit(1 if failures else 0)
        judgement = storm(options)
    judgement.tell()
    if options.json:
        options.json.write_text(json.dumps(judgement.record(), indent=1) + "\n")
    sys.exit(1 if judgement.faults else 0)


main()
