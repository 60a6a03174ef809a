"""Kills, restarts and replaces the daemon under load in a lab of two namespaces, and counts lost queries."""
import argparse
import contextlib
import os
import platform
import random
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMMON = HERE.parent / "common"
sys.path.insert(1, str(COMMON))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

import flood  # first: it knows where the benchmark's modules are
import native
import workload
from console import Failure, heading, say, waiting
from ending import told
from lab import Lab, check_host
from oracle import Oracle, read_nodes
from server import NAME
from stage import Stage
from tables import Usage
from witness import STATIC, right_answers, witnesses

CLIENTS = 1000
RELOADS = 50
SETTLED_S = 3
# What fifty reloads may leave: of the process's own memory, where the allocator keeps some, and of the maps.
OWN_MIB, MAPS_MIB = 12, 1


class Drill:
    """One scenario after the other against one daemon, each under a load of its own."""

    def __init__(self, options: argparse.Namespace, lab: Lab, stage: Stage, queries: workload.Workload):
        self.options, self.lab, self.stage, self.queries = options, lab, stage, queries
        self.failures: list[str] = []

    def right(self) -> dict[bytes, set[bytes]]:
        """Answers that are right in one of the two variants of the configuration."""
        right: dict[bytes, set[bytes]] = {}
        for variant in (1, 0):
            self.stage.rewrite(variant)
            if self.stage.reload().wait():
                raise self.stage.failure("a reload was refused")
            for question, answer in right_answers(self.lab, [NAME, STATIC]).items():
                right.setdefault(question, set()).add(answer)
        return right

    @contextlib.contextmanager
    def load(self, title: str, whole: bool = False):
        """The load while a scenario runs; `whole`: user space must lose nothing either."""
        heading(title)
        right = self.right()
        with flood.Flood(self.lab, self.queries, self.stage.folder, self.options.rate) as load:
            watching = witnesses(self.lab)
            with contextlib.ExitStack() as asking:
                for witness in watching:
                    asking.enter_context(witness)
                time.sleep(1)
                yield
                time.sleep(1)
            count = load.count()
        say(f"{count.sent:,} queries at {count.rate:,.0f} a second, {count.lost:,} lost")
        if count.lost:
            self.failures.append(f"{title}: {count.lost:,} of {count.sent:,} queries lost")
        for witness in watching:
            self.judge(title, witness, right, whole or witness.title == "program")

    def judge(self, title: str, witness, right: dict[bytes, set[bytes]], strict: bool) -> None:
        wrong = sum(1 for question, seen in witness.seen.items() for answer in seen if answer not in right[question])
        reasons = ", ".join(f"{count} × {text}" for text, count in witness.reasons.items())
        say(f"witness of {witness.title}: {witness.asked:,} asked, {witness.lost} lost, {wrong} wrong"
            + (f" ({reasons})" if reasons else ""))
        if wrong or (strict and witness.lost):
            self.failures.append(f"{title}: {witness.title}: {witness.lost} lost, {wrong} wrong")

    def calm(self) -> None:
        """What the lab itself loses."""
        with self.load("Nothing happens", whole=True):
            time.sleep(3)

    def crash(self) -> None:
        with self.load("Killed"):
            self.stage.kill()
            time.sleep(3)
        self.start()

    def start(self, *arguments: str, binaries: Path | None = None) -> None:
        self.stage.launch(*arguments, binaries=binaries)
        with waiting("starting"):
            seconds = self.stage.await_ready()
        say(f"ready after {seconds:.1f} s")

    def restart(self) -> None:
        with self.load("Killed and started again"):
            self.stage.kill()
            self.start()

    def keep(self) -> None:
        with self.load("Stopped with `on_exit: keep` and started again"):
            self.stage.stop()
            self.start()

    def upgrade(self) -> None:
        """Three times a successor, then one of another program, if one was given."""
        for binaries in [self.options.binaries] * 3 + [self.options.other] * bool(self.options.other):
            with self.load("Replaced by `nearcastd --takeover`", whole=True):
                before = self.stage.process
                self.start("--takeover", binaries=binaries)
                with waiting("the end of the predecessor"):
                    status = before.wait(60)
                if status:
                    raise Failure(f"the predecessor ended with status {status}")

    def failed_upgrade(self) -> None:
        """A successor that is killed: at any moment, and while the predecessor waits for it."""
        dice = random.Random(self.options.seed)
        for number in range(3):
            with self.load("A successor is killed before it is ready", whole=True):
                before, log = self.stage.process, self.stage.log
                self.stage.launch("--takeover")
                self.stage.await_line("takeover started" if number else "loading")
                time.sleep(dice.uniform(0, 0.3))
                self.stage.kill()
                self.stage.process, self.stage.log = before, log
                self.stage.await_control()

    def reload_crash(self) -> None:
        """Kills at random moments of reloads: of names, of a location table, and to a larger program."""
        dice = random.Random(self.options.seed)
        kinds = [("names", {}), ("a location table", {"moved": True}), ("a larger program", {"further_names": 400})]
        lengths = {}
        for kind, change in kinds:
            self.right()
            began = time.monotonic()
            self.stage.rewrite(1, **change)
            if self.stage.reload().wait():
                raise self.stage.failure(f"a reload of {kind} was refused")
            lengths[kind] = time.monotonic() - began
        self.restart_quietly()
        for number in range(self.options.kills):
            kind, change = kinds[number % len(kinds)]
            after = dice.uniform(0, lengths[kind])
            title = f"Killed {after * 1e3:.0f} ms into a reload of {kind} ({lengths[kind] * 1e3:.0f} ms)"
            with self.load(title):
                self.stage.rewrite(1, **change)
                reload = self.stage.reload()
                time.sleep(after)
                self.stage.kill()
                reload.wait()
                self.stage.rewrite(0)
                self.start()

    def settled(self) -> Usage:
        """Of the configuration as it was, some reloads after the last start."""
        self.stage.rewrite(0)
        if self.stage.reload().wait():
            raise self.stage.failure("a reload was refused")
        time.sleep(SETTLED_S)
        return Usage.of(self.stage.process.pid)

    def memory(self) -> None:
        """Reloads to other names and to other location tables, and whether memory comes back to its level."""
        heading(f"{RELOADS} reloads")
        before = None
        for number in range(-10, RELOADS):
            if not number:
                before = self.settled()
            self.stage.rewrite(1, moved=number % 2 == 0, further_names=number % 3)
            if self.stage.reload().wait():
                raise self.stage.failure("a reload was refused")
        after = self.settled()
        for title, old, new, limit in (("own memory", before.own, after.own, OWN_MIB),
                                       ("maps", before.maps, after.maps, MAPS_MIB)):
            say(f"{title}: {old:.1f} MiB before, {new:.1f} after")
            if new > old + limit:
                self.failures.append(f"{RELOADS} reloads: {title} grew by {new - old:.1f} MiB")

    def restart_quietly(self) -> None:
        self.stage.rewrite(0)
        self.stage.stop()
        self.start()

    def run(self) -> None:
        scenarios = {"calm": self.calm, "crash": self.crash, "restart": self.restart, "keep": self.keep,
                     "upgrade": self.upgrade, "failed-upgrade": self.failed_upgrade,
                     "reload": self.reload_crash, "memory": self.memory}
        for name, scenario in scenarios.items():
            if self.options.only and name not in self.options.only:
                continue
            scenario()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/drill", description=__doc__)
    parser.add_argument("--rate", type=int, default=500_000, help="queries per second (default %(default)s)")
    parser.add_argument("--kills", type=int, default=20, help="kills in the middle of reloads (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random times of kills (default %(default)s)")
    parser.add_argument("--only", metavar="NAME,…", type=lambda text: text.split(","), default=[],
                        help="only these steps: calm, crash, restart, keep, upgrade, failed-upgrade, reload, memory")
    parser.add_argument("--other", type=Path, help="a folder with binaries of another version, to upgrade to")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-drill"),
                        help="prefix of the names of namespaces (default %(default)s)")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    return parser.parse_args()


def run(options: argparse.Namespace) -> list[str]:
    check_host(options.database)
    native.build()
    oracle = Oracle(options.database, read_nodes(COMMON / "nodes20.tsv"))
    with Lab(options.prefix) as lab:
        with Stage(lab, options.binaries, options.database, oracle.nodes) as stage:
            drill = Drill(options, lab, stage, workload.tailored(oracle, [NAME], CLIENTS))
            drill.run()
        say(" ".join(stage.detach().split()))
    return drill.failures


def main() -> None:
    options = arguments()
    heading("Drill")
    say(f"{os.cpu_count()} CPUs, Linux {platform.release()}, load {os.getloadavg()[0]:.1f}")
    say(f"command: {' '.join([sys.executable, *sys.argv])}")
    with told("drill"):
        failures = run(options)
    heading("Nothing was lost that should not be" if not failures else "Lost, or wrong")
    for failure in failures:
        say(failure)
    sys.exit(1 if failures else 0)


main()
