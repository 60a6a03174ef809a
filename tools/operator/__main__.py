"""Plays what an operator meets in a week against the daemon: nodes that lose one address family, a host that loses its route,
mass failures, restarts, readiness, exit statuses, logs, metrics, hooks and checks. Everything runs in two network namespaces of
its own. The figure is `operator_failures`; its bar is 0."""
import argparse
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(1, str(HERE.parent / "common"))
sys.path.insert(1, str(HERE.parent / "bench"))

from console import Failure, heading, say
from ending import told
from figures import Figure, Report
from scenes import SCENES
from town import Town


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/operator", description=__doc__)
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-op"), help="prefix of the names of namespaces")
    parser.add_argument("--only", action="append", choices=[scene.__name__ for scene in SCENES], help="play this scene; repeatable")
    parser.add_argument("--json", type=Path, help="write the figure here, one JSON object a line")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    report = Report(options.json)
    scenes = [scene for scene in SCENES if not options.only or scene.__name__ in options.only]
    failures: list[str] = []
    with told("operator"):
        if os.geteuid():
            raise Failure("needs root: network namespaces")
        for scene in scenes:
            heading(scene.__doc__.strip().splitlines()[0])
            with tempfile.TemporaryDirectory(prefix="nearcast-op-") as folder:
                with Town(options.prefix, Path(folder), options.binaries) as town:
                    try:
                        scene(town)
                    except Failure as failure:
                        town.expect(False, str(failure))
                    failures += [f"{scene.__name__}: {text}" for text in town.failures]
                    if town.failures:
                        say(f"log of the daemon: {town.log_tail()}")
    for failure in failures:
        say(f"FAILED: {failure}")
    report.add(Figure("operator_failures", len(failures), "", 1, len(failures), len(failures), f"{len(scenes)} scenes"))
    sys.exit(1 if failures else 0)


main()
