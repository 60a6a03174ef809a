"""Runs every conformance check against nearcastd, and against NSD, Knot, BIND and PowerDNS with the same zones."""
import argparse
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(1, str(HERE.parent / "common"))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

import isolation

try:
    import play
except ModuleNotFoundError as missing:
    sys.exit(f"conformance: {missing}: run it with {CACHE}/venv/bin/python, or as `make conformance`")

import packages
from console import heading, say
from ending import told
from kit import Kit
from lab import check_host
from outcome import Outcome

CHECKS = ["zones", "tools", "types", "edns", "ecs", "nearest", "mutants"]
BATCH = 10


def numbers(text: str) -> list[int]:
    """`1-10,20` as the numbers it stands for."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/conformance", description=__doc__)
    kit = os.environ.get("CONFORMANCE_KIT", ROOT.parent / "shared" / "conformance")
    parser.add_argument("--kit", type=Path, default=kit, help="folder of the kit's scripts (default %(default)s)")
    parser.add_argument("--seeds", type=numbers, default="1-2", metavar="1-10", help="seeds of random zones (default 1-2)")
    parser.add_argument("--zones", type=int, default=60, help="random zones per seed (default %(default)s)")
    parser.add_argument("--mutants", type=int, default=20_000, help="mutated packets per path (default %(default)s)")
    parser.add_argument("--only", default="", metavar="CHECK,…", help=f"only these checks: {', '.join(CHECKS)}")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--prefix", default="nearcast-cf", help="prefix of the names of namespaces (default %(default)s)")
    parser.add_argument("--logs", type=Path, help="folder of logs (default: a new one in the cache)")
    options = parser.parse_args()
    options.only = set(filter(None, options.only.split(","))) or set(CHECKS)
    if unknown := options.only - set(CHECKS):
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    options.logs = (options.logs or CACHE / "conformance" / time.strftime("%Y%m%d-%H%M%S")).resolve()
    return options


def run(options: argparse.Namespace, outcome: Outcome) -> None:
    kit = Kit(Path(options.kit).resolve(), options.logs)
    packages.require("conformance")
    check_host(options.database)
    if "zones" in options.only:
        for first in range(0, len(options.seeds), BATCH):
            play.zones(options, kit, outcome, options.seeds[first : first + BATCH])
    if options.only - {"zones"}:
        play.rest(options, kit, outcome)


def main() -> None:
    options = arguments()
    isolation.enter()
    options.logs.mkdir(parents=True, exist_ok=True)
    heading(f"Conformance; logs in {options.logs}")
    outcome, began = Outcome(), time.monotonic()
    with told("conformance"):
        run(options, outcome)
    heading(f"Summary, {time.monotonic() - began:.0f} s")
    print(outcome.text())
    say(f"logs: {options.logs}")
    sys.exit(1 if outcome.failed else 0)


main()
