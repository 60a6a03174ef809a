"""Measures another commit's build and this one's in turn, figure by figure, and says where they differ.

The tools of this commit drive both: only the two programs, nearcastd and nearcast, are another commit's.
"""
import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent / "peers"), str(ROOT / "tools" / "common")]
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

try:
    import workload  # noqa: F401, needs the packages of `make setup`
except ModuleNotFoundError as missing:
    sys.exit(f"bench: {missing}: run it with {CACHE}/venv/bin/python, or as `make bench COMPARE=REF`")

import builds
import load
import native
from builds import Build
from console import heading, say, table
from ending import told
from figures import Figure, Report
from lab import Lab, check_host
from measuring import FIGURES, MORE_IS_BETTER, YARDSTICK, Results, Stage, measure
from oracle import Oracle, read_nodes
from starting import favour
from verdict import RESOLUTION, SAME, WORSE, Comparison

NAMES = [name for names in FIGURES.values() for name in names]
# Rounds more when anything differs: of two equal builds 3 rounds call one figure in 33 different, 5 rounds one in 500.
CONFIRMING_ROUNDS = 2


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/bench/commits", description=__doc__)
    parser.add_argument("commit", help="the other commit: anything that `git rev-parse` takes")
    parser.add_argument("--rounds", type=int, default=3, help="of both builds in turn, at least 3 (default %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the ratios there, one object a line")
    parser.add_argument("--only", metavar="FIGURE,…", default="", help=f"measure only these: {', '.join(NAMES)}")
    parser.add_argument("--base-binaries", type=Path, help="use these programs as the other commit's, and build nothing")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-bench"), help="""of the namespaces'
        names (default %(default)s)""")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    options = parser.parse_args()
    options.only = set(filter(None, options.only.split(","))) or set(NAMES)
    if unknown := options.only - set(NAMES):
        parser.error(f"no such figure: {', '.join(sorted(unknown))}")
    if options.rounds < 3:
        parser.error("fewer than 3 rounds tell too little of the spread")
    if (os.cpu_count() or 1) < 2:
        parser.error("needs two CPUs: one for the client, one for the server")
    return options


def run(options: argparse.Namespace, base: Build, head: Build) -> Results:
    """Both builds in turn, so that a disturbance of the machine meets both."""
    native.build()
    results = Results()
    oracle = Oracle(options.database, read_nodes(ROOT / "tools" / "common" / "nodes20.tsv"))
    with (tempfile.TemporaryDirectory(prefix="nearcast-bench-") as folder, Lab(options.prefix) as lab,
          Lab(f"{options.prefix}-slow") as sockets):
        load.prepare(sockets)
        stage = Stage(lab, sockets, oracle, options.database, Path(folder))
        for number in range(1, options.rounds + CONFIRMING_ROUNDS + 1):
            if number == options.rounds + 1:
                differ = [each.figure for each in comparisons(results) if each.verdict != SAME]
                if not differ:
                    break
                say(f"{CONFIRMING_ROUNDS} rounds more, because these differ: {', '.join(differ)}")
            for build in (base, head):
                heading(f"Round {number}: {build}")
                measure(stage, build, options.only, results)
    return results


def comparisons(results: Results) -> list[Comparison]:
    """Of the figures that both builds gave in every round."""
    found = []
    for name in NAMES:
        sides = results.values.get(name, {})
        if name not in results.reasons and sides:
            found.append(Comparison(name, results.units[name], sides["base"], sides["head"], name in MORE_IS_BETTER))
    return found


def _percent(part: float | None) -> str:
    return "" if part is None else f"{part:.1%}"


def show(found: list[Comparison]) -> None:
    rows = []
    for each in found:
        base, head = each.medians
        verdict = each.verdict if each.verdict == SAME else each.verdict.upper()
        if each.figure == YARDSTICK:
            verdict += " (the machine)"
        ratio = "" if each.ratio is None else f"{each.ratio:.3f}"
        rows.append([each.figure, f"{base:,.6g}", f"{head:,.6g}", each.unit, ratio, _percent(each.spread), verdict])
    header = ["figure", "base", "head", "unit", "head/base", "spread", "verdict"]
    print(table(header, rows, frozenset(header) - {"figure", "unit", "verdict"}), flush=True)


def write(found: list[Comparison], report: Report) -> None:
    for each in found:
        if each.ratio is None or not each.ratios:
            continue
        base, head = each.medians
        note = f"{each.verdict}: {head:,.6g} against {base:,.6g} {each.unit}, spread {_percent(each.spread)}"
        ratios = each.ratios
        report.write(Figure(f"compare_{each.figure}_ratio", round(each.ratio, 4), "×", len(ratios), round(min(ratios), 4),
                            round(max(ratios), 4), note))
    worse = [each.figure for each in found if each.verdict == WORSE and each.figure != YARDSTICK]
    report.add(Figure("compare_worse", len(worse), "figures", 1, len(worse), len(worse),
                      ", ".join(worse) or f"of {len(found)}, none is worse beyond its spread"))


def explain(results: Results, found: list[Comparison], report: Report, wanted: set[str]) -> None:
    """What one build or both could not measure, and whether the machine kept still."""
    compared = {each.figure for each in found}
    missing: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for name in NAMES:
        if name in wanted and name not in compared:
            missing.setdefault(tuple(sorted(results.reasons.get(name, {}).items())), []).append(name)
    for reasons, names in missing.items():
        sides = [side for side, _ in reasons]
        text = f"{', '.join(names)}: " + "; ".join(f"{side}: {reason.splitlines()[0]}" for side, reason in reasons)
        # An older commit may lack what a figure asks for. This one must not.
        if sides == ["base"]:
            say(f"NOT COMPARED, head alone gave it in every round: {text}")
        else:
            report.fail(text)
    for each in found:
        if each.figure == YARDSTICK and each.verdict != SAME:
            say(f"the yardstick, which is no part of either build, was {each.verdict} for head: the machine changed, measure again")


def main() -> None:
    options = arguments()
    report = Report(options.json)
    heading("Two builds in turn")
    with told("bench"):
        check_host(options.database)
        head = builds.head(ROOT, options.binaries)
        base = builds.given(options.commit, options.base_binaries) if options.base_binaries else \
            builds.built(ROOT, CACHE, options.commit)
        say(f"{base} and {head}, {options.rounds} rounds; load of the machine {os.getloadavg()[0]:.1f}")
        favour(os.getpid())
        began = time.monotonic()
        results = run(options, base, head)
    found = comparisons(results)
    heading(f"{base} and {head}: medians of the rounds, {time.monotonic() - began:.0f} s")
    show(found)
    say(f"spread: largest minus smallest of one build's rounds, of the build that varies more. The same: medians closer than "
        f"that, or than {RESOLUTION:.0%}")
    explain(results, found, report, options.only)
    write(found, report)
    sys.exit(1 if report.wrong() else 0)


main()
