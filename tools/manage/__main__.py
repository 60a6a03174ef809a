"""Plans and applies changes on a live daemon, and compares what a plan said with what clients then got. The daemon answers in
user space on the loopback interface. Bars: no difference, no lost answer or record, no failure."""
import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tools" / "common"), str(ROOT / "tools" / "bench")]

from clients import Load, answers, require_database, sample  # noqa: E402
from console import Failure, heading, say  # noqa: E402
from ending import told  # noqa: E402
from figures import Figure, Report  # noqa: E402
from office import Files, Office  # noqa: E402
from oracle import Node, read_nodes  # noqa: E402

CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))
WWW = "www.example.com"
# Shares of a sample differ from those of all clients: four standard deviations of the sample.
DEVIATIONS = 4


def share_error(part: float, count: int) -> float:
    return DEVIATIONS * (max(part * (1 - part), 1e-4) / count) ** 0.5


FIGURES = (
    ("manage_plan_s", "s", "20 nodes, 2 names, one node moves, whole address space"),
    ("manage_plan_ties_s", "s", "20 nodes, a name gets a policy with near ties, whole address space"),
    ("manage_apply_ms", "ms", "20 nodes, one moves, with reading the files again"),
)


class Play:
    def __init__(self, office: Office, blocks: list[int]):
        self.office, self.blocks = office, blocks
        self.differences = 0
        self.lost = 0
        self.took: dict[str, list[float]] = {}

    def plan(self, *words: str, figure: str = "") -> dict:
        """Plans while queries come at a steady rate, each of which must be answered. The time is recorded under `figure`."""
        stop, result = multiprocessing.Event(), multiprocessing.Queue()
        load = multiprocessing.Process(target=Load(self.office.port, WWW, 2_000).run, args=(stop, result))
        load.start()
        try:
            status, change, seconds = self.office.ask("plan", *words)
        finally:
            stop.set()
            sent, got = result.get(timeout=60)
            load.join()
        self.lost += sent - got
        self.office.expect(status == 0, f"plan ends with {status}: {change}")
        self.took.setdefault(figure, []).append(seconds)
        return change

    def apply(self, change: dict, figure: str = "") -> dict:
        accepted = [word for one in change["guards"] for word in ("--accept", one["name"])]
        status, applied, seconds = self.office.ask("apply", str(change["number"]), *accepted)
        self.office.expect(status == 0 and applied.get("state") == "applied", f"apply ends with {status}: {applied}")
        self.took.setdefault(figure, []).append(seconds * 1000)
        return applied

    def compare(self, change: dict, name: str, before: dict, after: dict) -> None:
        """What every client of the sample got, with what the plan said."""
        node = self.office.files.node_of
        effects = [one for one in change["plan"]["effect"] if one["type"] == "A" and f"{name}." in one["names"]]
        moves = {(move.get("from"), move.get("to")): move["share"] for one in effects for move in one["moves"]}
        self.lost += sum((block not in before) + (block not in after) for block in self.blocks)
        seen: dict[tuple, int] = {}
        for block in self.blocks:
            if block in before and block in after and before[block] != after[block]:
                pair = (node(before[block]), node(after[block]))
                seen[pair] = seen.get(pair, 0) + 1
        unforeseen = sum(count for pair, count in seen.items() if pair not in moves)
        count = len(self.blocks)
        off = 0
        for pair, part in moves.items():
            found = seen.get(pair, 0) / count
            # A part of the sample has no location, and does not count in the plan.
            if abs(found - part) > share_error(part, count) + 0.1 * part:
                off += 1
                say(f"{pair[0]} to {pair[1]}: planned {part:.4f}, found {found:.4f}")
        self.differences += unforeseen + off
        moved = sum(seen.values()) / count
        say(f"{name}: planned {sum(moves.values()):.2%}, {moved:.2%} of {count:,} clients moved, {unforeseen} of them in ways that the plan does not name")


def follow(play: Play) -> None:
    """A node moves: what clients then get is what the plan said"""
    office = play.office
    before = answers(office.port, WWW, play.blocks)
    office.files.moved["iad1"] = (25.8, -80.2)
    office.write()
    change = play.plan("--reason", "Ashburn moves to Miami", figure="manage_plan_s")
    office.expect(any(one["name"] == "clients_moved" for one in change["guards"]), "a move of many clients is guarded")
    office.expect(answers(office.port, WWW, play.blocks[:5_000]) == {block: before[block] for block in play.blocks[:5_000]},
                  "a plan changes no answer")
    status, refusal, _ = office.ask("apply", str(change["number"]))
    office.expect(status == 1 and refusal["error"]["code"] == "conflict", f"a guard that is not accepted refuses: {refusal}")
    applied = play.apply(change, "manage_apply_ms")
    office.expect(applied["reload"]["digest"] == change["plan"]["changes"]["digest"], "the digest served is the planned one")
    play.compare(change, WWW, before, answers(office.port, WWW, play.blocks))


def near_ties(play: Play) -> None:
    """A policy divides near ties by a hash: each client goes where the plan said"""
    office = play.office
    before = answers(office.port, WWW, play.blocks)
    office.files.policies.append("{id: close, tolerance: {percent: 25}}")
    office.files.policy_of[WWW] = "close"
    office.write()
    change = play.plan(figure="manage_plan_ties_s")
    play.apply(change)
    play.compare(change, WWW, before, answers(office.port, WWW, play.blocks))


def stale(play: Play) -> None:
    """A file changes after the plan: nothing is applied, whatever is accepted"""
    office = play.office
    office.files.extra = "identity: {nsid: text:one}\n"
    office.write()
    change = play.plan()
    office.files.extra = "identity: {nsid: text:two}\n"
    office.write()
    status, refusal, _ = office.ask("apply", str(change["number"]))
    office.expect(status == 1 and refusal["error"]["code"] == "conflict", f"a stale plan is refused: {refusal}")
    status, seen, _ = office.ask("changes", str(change["number"]))
    office.expect(seen.get("state") == "stale", f"the change is stale: {seen.get('state')}")
    play.apply(play.plan())


def race(play: Play) -> None:
    """Many apply one change: it is applied once"""
    office = play.office
    office.files.extra = "identity: {nsid: text:race}\n"
    office.write()
    change = play.plan()
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda _: office.ask("apply", str(change["number"])), range(16)))
    done = [result for result in results if result[0] == 0]
    office.expect(len(done) == 1, f"{len(done)} of 16 were told that they applied it")
    office.expect(all(result[1]["error"]["code"] == "conflict" for result in results if result[0]), "the others are refused")
    state = office.ask("changes", str(change["number"]))[1]["state"]
    office.expect(state == "applied", f"it is {state} afterwards")


def records(play: Play) -> None:
    """Records change while changes are planned and applied: each that was acknowledged is kept, also after a crash"""
    office = play.office
    office.files.extra = ""
    office.write()
    kept: list[str] = []

    def setting(number: int) -> None:
        name = f"r{number}.example.com"
        if office.ask("record", "set", name, "300", "A", f"192.0.2.{number}")[0] == 0:
            kept.append(name)

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(setting, number) for number in range(1, 101)]
        change = play.plan()
        play.apply(change)
        for one in running:
            one.result()
    office.kill()
    office.start()
    status, missing, _ = office.ask("apply", str(change["number"]))
    office.expect(status == 1 and missing["error"]["code"] == "not_found", "a restart forgets plans")
    status, listed, _ = office.ask("record", "list", "example.com", "--changed")
    names = {one["name"].removesuffix(".") for one in listed.get("rrsets", [])} if isinstance(listed, dict) else set()
    play.lost += sum(name not in names for name in kept)
    office.expect(len(kept) == 100, f"{len(kept)} of 100 record changes were acknowledged")


def proposed(play: Play) -> None:
    """Changed files propose a change by themselves, and a later version takes its place"""
    office = play.office
    office.files.watch = "propose"
    office.write()
    play.apply(play.plan())

    def open_changes(marker: str) -> list[dict]:
        office.files.extra = f"identity: {{nsid: text:{marker}}}\n"
        office.write()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = [one for one in office.ask("changes")[1] if one["state"] == "planned"]
            if found and found[0]["number"] not in known:
                known.add(found[0]["number"])
                return found
            time.sleep(0.1)
        return []

    known: set[int] = set()
    first, second = open_changes("first"), open_changes("second")
    office.expect(len(first) == 1 and len(second) == 1, f"one change is proposed at a time: {len(first)}, {len(second)}")
    status, refusal, _ = office.ask("apply", str(first[0]["number"]))
    office.expect(status == 1 and refusal["error"]["code"] == "conflict", f"the earlier version is refused: {refusal}")
    play.apply(second[0])
    office.files.watch, office.files.extra = "false", ""
    office.write()
    office.expect(office.ask("reload")[0] == 0, "a reload works as before")


SCENES = (follow, near_ties, stale, race, proposed, records)


def many(options: argparse.Namespace, folder: Path) -> tuple[float, float]:
    """Seconds to plan and milliseconds to apply a move of one of 500 nodes, with 1,000 names under 16 policies."""
    towns = read_nodes(ROOT / "tools" / "common" / "nodes20.tsv")
    nodes = [Node(number, f"n{number}", town.city, round(town.latitude + number // 20 * 0.4 - 5, 4),
                  round(town.longitude + number % 7 * 0.5, 4), town.country, town.continent)
             for number, town in ((number, towns[number % 20]) for number in range(500))]
    names = [WWW, *(f"t{number}.example.com" for number in range(999))]
    policies = [f"{{id: p{number}, maximum_distance: {2_000 + 500 * number}}}" for number in range(16)] + ["{id: nearest}"]
    files = Files(nodes, names, policies, {name: f"p{number % 16}" for number, name in enumerate(names)})
    with Office(folder, options.binaries, options.database, files) as office:
        files.moved["n7"] = (nodes[7].latitude + 8, nodes[7].longitude)
        office.write()
        status, change, plan_s = office.ask("plan")
        if status:
            raise Failure(f"the plan of 1,000 names ends with {status}: {change}")
        accepted = [word for one in change["guards"] for word in ("--accept", one["name"])]
        status, applied, apply_s = office.ask("apply", str(change["number"]), *accepted)
        if status:
            raise Failure(f"applying it ends with {status}: {applied}")
        say(f"500 nodes, 1,000 names, 16 policies: planned in {plan_s:.1f} s, of which the effect "
            f"{change['plan']['effectSeconds']:.1f} s in {len(change['plan']['effect'])} groups; applied in {apply_s:.1f} s")
        return plan_s, apply_s * 1000


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/manage", description=__doc__)
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--clients", type=int, default=100_000, help="clients that are asked before and after, default %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="of the sample, default %(default)s")
    parser.add_argument("--skip-many", action="store_true", help="leave out the plan of 1,000 names")
    parser.add_argument("--json", type=Path, help="write the figures here, one JSON object a line")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    report = Report(options.json)
    with told("manage"):
        require_database(options.database)
        options.binaries, options.database = options.binaries.resolve(), options.database.resolve()
        for program in ("nearcastd", "nearcast"):
            if not (options.binaries / program).exists():
                raise Failure(f"{options.binaries / program} is missing: `make build` makes it")
        with tempfile.TemporaryDirectory(prefix="nearcast-manage-") as folder:
            files = Files(read_nodes(ROOT / "tools" / "common" / "nodes20.tsv"), [WWW, "api.example.com"])
            with Office(Path(folder) / "twenty", options.binaries, options.database, files) as office:
                play = Play(office, sample(options.clients, options.seed))
                for scene in SCENES:
                    heading(scene.__doc__)
                    scene(play)
            for failure in office.failures:
                say(f"FAILED: {failure}")
            note = f"{len(SCENES)} scenes, seed {options.seed}"
            report.add(Figure("manage_plan_differences", play.differences, "", 1, play.differences, play.differences, note))
            report.add(Figure("manage_lost", play.lost, "answers and records", 1, play.lost, play.lost, note))
            report.add(Figure("manage_failures", len(office.failures), "", 1, len(office.failures), len(office.failures), note))
            for name, unit, note in FIGURES:
                report.add(Figure.of(name, play.took[name], unit, note))
            if not options.skip_many:
                heading("One of 500 nodes moves, under 1,000 names")
                plan_s, apply_ms = many(options, Path(folder) / "many")
                report.add(Figure.of("manage_plan_1000_s", [plan_s], "s", "500 nodes, 1,000 names, 16 policies"))
                report.add(Figure.of("manage_apply_1000_ms", [apply_ms], "ms", "the same"))
    sys.exit(0 if all(figure.reached for figure in report.figures) else 1)


main()
