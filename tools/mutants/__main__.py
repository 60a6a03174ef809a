"""Changes critical code by small mistakes, one at a time, and counts those that a test finds.

Each mutant is built in a copy of the repository, for debugging, and judged by the narrowest tests of its area (areas.py).
The repository itself is never written to. A mutant that does not compile does not count. One that makes the tests hang is
found. What no test finds is shown: write the missing test, or see that the change makes no difference.

As root, the copy is mounted where the repository is, in a mount namespace of its own, so that it starts from the debug build
of the repository, and the areas are tested whose tests need the kernel.
"""
import argparse
import difflib
import os
import platform
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(1, str(HERE.parent / "common"))
sys.path.insert(1, str(HERE.parent / "bench"))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

from areas import AREAS, Area
from console import Failure, heading, say, waiting
from ending import told
from figures import Figure, Report
from mutate import Mutation, Source
from tree import Outcome, Tree

# The tests of a mutant get a multiple of what they took before, and never less than this.
PATIENCE = 4
LEAST_S = 60
BASELINE_S = 1800


@dataclass
class Sample:
    """Mutations in an order that a seed decides: the areas in turn, in each one kinds of mutations alike."""

    areas: list[Area]
    seed: int
    _left: dict[str, dict[str, list[Mutation]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        for area in self.areas:
            kinds: dict[str, list[Mutation]] = {}
            for file in area.files(ROOT):
                for mutation in Source(file, (ROOT / file).read_text()).mutations():
                    kinds.setdefault(mutation.kind, []).append(mutation)
            self._left[area.name] = kinds

    @property
    def size(self) -> int:
        return sum(len(found) for kinds in self._left.values() for found in kinds.values())

    def __iter__(self):
        while self.size:
            for area in self._random.sample(self.areas, len(self.areas)):
                kinds = self._left[area.name]
                if not kinds:
                    continue
                kind = self._random.choice(sorted(kinds))
                found = kinds[kind]
                yield area, found.pop(self._random.randrange(len(found)))
                if not found:
                    del kinds[kind]


@dataclass
class Tally:
    """What became of the mutants."""

    killed: Counter = field(default_factory=Counter)
    survived: Counter = field(default_factory=Counter)
    hung: int = 0
    crashed: int = 0
    uncompiled: int = 0
    survivors: list[tuple[Mutation, str]] = field(default_factory=list)

    @property
    def counted(self) -> int:
        return self.killed.total() + self.survived.total()

    @property
    def note(self) -> str:
        return (f"of {self.counted}: {self.killed.total()} killed ({self.hung} by hanging, {self.crashed} by a crash), "
                f"{self.survived.total()} survived; {self.uncompiled} more did not compile")

    def take(self, area: Area, mutation: Mutation, outcome: Outcome, difference: str) -> str:
        """Counts one; in words."""
        if outcome.passed:
            self.survived[area.name] += 1
            self.survivors.append((mutation, difference))
            return "SURVIVED"
        self.killed[area.name] += 1
        if outcome.is_hung:
            self.hung += 1
            return "killed: the tests hang"
        if not outcome.issue:
            self.crashed += 1
            return f"killed: the tests crash (status {outcome.status})"
        return f"killed by: {outcome.issue}"


class Trial:
    """One run over a sample."""

    def __init__(self, options: argparse.Namespace, tree: Tree):
        self.options, self.tree, self.tally = options, tree, Tally()
        # Seconds that the tests of an area take without a mutation; None: they fail.
        self.baselines: dict[str, float | None] = {}
        self.faults: list[str] = []

    def _limit(self, area: Area) -> float | None:
        """How long the tests of a mutant may take; None where they fail without one."""
        if area.name not in self.baselines:
            self.baselines[area.name] = self._baseline(area)
        seconds = self.baselines[area.name]
        return None if seconds is None else max(LEAST_S, PATIENCE * seconds)

    def _baseline(self, area: Area) -> float | None:
        try:
            with waiting(f"the build and the tests of {area.name} without a mutation"):
                problem = self.tree.build(BASELINE_S)
                if problem:
                    raise Failure(f"the copy does not build: {problem}")
                outcome = self.tree.require(area, BASELINE_S)
        except Failure as failure:
            self.faults.append(str(failure))
            say(f"{area.name} is left out: {failure}")
            return None
        say(f"{area.name}: {outcome.tests} tests in {outcome.seconds:.0f} s")
        return outcome.seconds

    def prepare(self) -> None:
        with waiting(f"the build in {self.tree.folder}"):
            self.tree.copy()
            problem = self.tree.build(BASELINE_S)
        if problem:
            raise Failure(f"the copy does not build: {problem}")

    def judge(self, area: Area, mutation: Mutation) -> None:
        limit = self._limit(area)
        if limit is None:
            return
        text = self.tree.read(mutation.file)
        mutant = mutation.apply(text)
        say(f"{area.name}: {mutation.file}:{mutation.line} {mutation.kind}: {mutation.summary}")
        try:
            self.tree.write(mutation.file, mutant)
            problem = self.tree.build(self.options.build_limit)
            if problem:
                self.tally.uncompiled += 1
                say("    does not compile, does not count")
                return
            outcome = self.tree.test(area, limit)
        finally:
            self.tree.write(mutation.file, text)
        say(f"    {self.tally.take(area, mutation, outcome, difference(mutation, text, mutant))} ({outcome.seconds:.0f} s)")

    def run(self, sample: Sample) -> None:
        for area, mutation in sample:
            if self.tally.counted >= self.options.count or self.tally.uncompiled > 3 * self.options.count:
                return
            self.judge(area, mutation)


def difference(mutation: Mutation, text: str, mutant: str) -> str:
    lines = difflib.unified_diff(text.splitlines(), mutant.splitlines(), f"a/{mutation.file}", f"b/{mutation.file}",
                                 lineterm="", n=2)
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    names = [area.name for area in AREAS]
    parser = argparse.ArgumentParser(prog="tools/mutants", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="of mutants that compile (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default %(default)s)")
    parser.add_argument("--areas", type=lambda text: [word for word in text.split(",") if word], default=names,
                        help=f"of {', '.join(names)} (default all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, one object a line")
    parser.add_argument("--list", action="store_true", help="show the sample and change nothing")
    parser.add_argument("--tree", type=Path, default=CACHE / "mutants", help="where the copy is (default %(default)s)")
    parser.add_argument("--build-limit", type=float, default=900, help="seconds of a mutant's build (default %(default)s)")
    options = parser.parse_args()
    unknown = set(options.areas) - set(names)
    if unknown:
        parser.error(f"there is no area {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return options


def chosen(options: argparse.Namespace) -> list[Area]:
    areas = [area for area in AREAS if area.name in options.areas]
    if os.geteuid() and not options.list:
        left_out = [area.name for area in areas if area.needs_root]
        if left_out:
            say(f"left out, since their tests need root: {', '.join(left_out)}")
        areas = [area for area in areas if not area.needs_root]
    if not areas:
        raise Failure("no area is left: run it as root")
    return areas


def main() -> None:
    options = arguments()
    heading("Mutants")
    with told("mutants"):
        sample = Sample(chosen(options), options.seed)
        if options.list:
            for number, (area, mutation) in enumerate(sample):
                if number == options.count:
                    break
                say(f"{area.name}: {mutation.file}:{mutation.line} {mutation.kind}: {mutation.summary}")
            return
        report = Report(options.json)
        say(f"{os.cpu_count()} CPUs, Linux {platform.release()}, load {os.getloadavg()[0]:.1f}, seed {options.seed}, "
            f"{options.count} of {sample.size:,} mutations")
        trial = Trial(options, Tree(ROOT, options.tree))
        trial.prepare()
        trial.run(sample)
    tally = trial.tally
    if tally.survivors:
        heading("Survivors")
        for mutation, text in tally.survivors:
            say(f"{mutation.file}:{mutation.line} {mutation.kind}: {mutation.summary}")
            print(text, flush=True)
    heading("Figures")
    if not tally.counted:
        sys.exit("\nmutants: error: no mutant compiled")
    ratio = tally.killed.total() / tally.counted
    figure = Figure("mutants_killed_ratio", round(ratio, 3), "of mutants", 1, round(ratio, 3), round(ratio, 3), tally.note)
    report.add(figure)
    for area in sorted(tally.killed | tally.survived):
        say(f"{area}: {tally.killed[area]} of {tally.killed[area] + tally.survived[area]}")
    if trial.faults:
        sys.exit("\nmutants: error: areas were left out: " + "; ".join(trial.faults))
    sys.exit(0 if figure.reached else 1)


main()
