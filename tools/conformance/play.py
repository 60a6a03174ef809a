"""The sequence of a run: starts the servers, runs the checks, stops the servers."""
import argparse
import ast
import concurrent.futures
import contextlib
import json
import os
from pathlib import Path

import edns_checks
import exchange
import stage
import tool_checks
import type_checks
import zone_checks
from console import Failure, heading
from kit import Kit, Tally
from outcome import Outcome
from server import Server
from stage import FAST, NAME, REFERENCES, SLOW, Zone

PATHS = {"slow": SLOW, "fast": FAST}
STATIC = "ns1.example.com"
# What a daemon may hold more after the mutants than before: caches and buffers grow once.
GROWTH_KIB = 16 * 1024


@contextlib.contextmanager
def served(options: argparse.Namespace, kit: Kit, outcome: Outcome, zones: list[Zone]):
    """Everything up, with these zones on every server; yields both daemons by path."""
    nodes = stage.read_nodes(kit.folder / "pops20.txt")
    with stage.network(options.prefix) as lab, contextlib.ExitStack() as stack:
        subjects = stage.Subjects(lab, options.binaries, options.database, nodes, zones)
        if problems := subjects.refused(kit.logs):
            log = kit.logs / "refused.log"
            log.write_text("\n".join(problems) + "\n")
            refused = len(zones) + 1 - len(subjects.zones)
            outcome.add("zones are loaded", "both", Tally(len(subjects.zones), refused), log.name, _classes(problems))
        else:
            outcome.add("zones are loaded", "both", Tally(len(subjects.zones), 0), "")
        stack.enter_context(stage.references(kit, [stage.EXAMPLE, *zones]))
        daemons = {path: stack.enter_context(subjects.server(fast=path == "fast")) for path in PATHS}
        with exchange.inside():
            yield daemons
        for path, daemon in daemons.items():
            if daemon.process.poll() is not None:
                outcome.broken("the daemon lives", path, str(daemon.failure("it ended")), "")


def _classes(problems: list[str]) -> list[str]:
    """One line for each kind of problem, with how often it came."""
    found: dict[str, list[str]] = {}
    for problem in problems:
        found.setdefault(problem.split(": ", 1)[-1], []).append(problem)
    ranked = sorted(found.values(), key=len, reverse=True)
    return [f"{len(lines)} × {lines[0]}" for lines in ranked]


def zones(options: argparse.Namespace, kit: Kit, outcome: Outcome, seeds: list[int]) -> None:
    """Random zones: as the references answer, and by both paths alike."""
    heading(f"Random zones, seeds {seeds[0]}–{seeds[-1]}")
    made = zone_checks.generate(kit, seeds, options.zones)
    with contextlib.ExitStack() as stack:
        daemons = stack.enter_context(
            served(options, kit, outcome, stage.read_zones([seed.table for seed in made])))
        # The time goes into reading the replies: every seed has a process of its own. Threads begin in this one's
        # namespace.
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()))
        compared = pool.map(lambda seed: zone_checks.compare(kit, seed), made)
        for seed, (tally, differences) in zip(made, compared):
            (seed.folder / "differences.json").write_text(json.dumps(differences, indent=1))
            outcome.add("as NSD, Knot and BIND", "slow", tally, "compare-*.log, seed-*/differences.json",
                        [zone_checks.describe(difference) for difference in differences])
            _equal(outcome, seed, "replies equal", zone_checks.random_packets(seed), daemons["fast"], False)
            _equal(outcome, seed, "tailored replies equal", zone_checks.tailored_packets(seed), daemons["fast"], True)


def _equal(outcome: Outcome, seed: zone_checks.Seed, check: str, packets: list, daemon: Server, tailored: bool) -> None:
    """Equality proves nothing where the same path gave both replies: those of tailored names are counted."""
    log = f"{check.replace(' ', '-')}.json"
    with _counting(outcome, daemon, "fast", tailored):
        tally, differences = zone_checks.same_replies(packets)
        (seed.folder / log).write_text(json.dumps(differences, indent=1))
        outcome.add(check, "fast = slow", tally, f"seed-*/{log}",
                    [json.dumps(difference)[:300] for difference in differences])


def _counting(outcome: Outcome, daemon: Server, path: str, tailored: bool):
    """Counts what XDP answers during checks of the fast path; where they ask for tailored names some it has to be."""
    return outcome.counting(daemon.fast_path_answers, tailored) if path == "fast" else contextlib.nullcontext()


def rest(options: argparse.Namespace, kit: Kit, outcome: Outcome) -> None:
    """What needs no random zones."""
    made = tool_checks.make_zones(kit.logs / "tool-zones") if "tools" in options.only else []
    typed = type_checks.make_zones(kit.logs / "type-zones") if "types" in options.only else []
    heading("Tailored names, EDNS, types, tools and mutants")
    with served(options, kit, outcome, made + typed) as daemons:
        if "tools" in options.only:
            tool_checks.run(kit, outcome, made)
        if "types" in options.only:
            type_checks.run(outcome, kit)
        for path, address in PATHS.items():
            for check, play in {"edns": _edns, "ecs": _ecs, "nearest": _nearest, "mutants": _mutants}.items():
                if check not in options.only:
                    continue
                try:
                    with _counting(outcome, daemons[path], path, tailored=check != "edns"):
                        play(options, kit, outcome, path, address, daemons[path])
                except Failure as failure:
                    outcome.broken(check, path, str(failure), "")


def _edns(options, kit: Kit, outcome: Outcome, path: str, address: str, daemon: Server) -> None:
    """A failure counts where NSD or Knot passes."""
    lines, passed, failed, skipped = [], 0, 0, 0
    for case in edns_checks.cases("example.com"):
        wrong = edns_checks.judge(case, address)
        theirs = [name for name in ("NSD", "Knot") if edns_checks.judge(case, REFERENCES[name])]
        passed, failed, skipped = passed + (not wrong), failed + bool(wrong and not theirs), \
            skipped + bool(wrong and theirs)
        if wrong:
            lines.append(f"RFC 8906, {case.section}, {case.title}: {wrong}"
                         + (f" (as {' and '.join(theirs)})" if theirs else "") + f"; query {case.query.hex()}")
    (kit.logs / f"edns-{path}.log").write_text("\n".join(lines) + "\n")
    outcome.add("EDNS, RFC 8906", path, Tally(passed, failed, skipped), f"edns-{path}.log", lines)


def _failing_lines(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines() if line.startswith("FAIL")]


def _ecs(options, kit: Kit, outcome: Outcome, path: str, address: str, daemon: Server) -> None:
    log = f"ecs-{path}.log"
    tally = kit.tally("ecs_wire.py", "--addr", address, "--qname", NAME, "--static", STATIC, log=log)
    outcome.add("ECS on the wire", path, tally, log, _failing_lines(kit.logs / log))


def _nearest(options, kit: Kit, outcome: Outcome, path: str, address: str, daemon: Server) -> None:
    for family, extra in {"IPv4": [], "IPv6": ["--v6"]}.items():
        log = f"nearest-{path}-{family}.log"
        text = kit.run("nearest_oracle.py", "--addr", address, "--mmdb", options.database, "--pops",
                       kit.folder / "pops20.txt", "--qname", NAME, *extra, log=log)
        found = _counts(text)
        good = found.pop("nearest-ok", 0)
        found.pop("scope-sound", 0)
        neutral = found.pop("no-location", 0) + found.pop("at-cap-mixed", 0)
        outcome.add(f"nearest, {family}", path, Tally(good, sum(found.values()) or int(not good), neutral), log,
                    [f"{count} × {what}" for what, count in found.items()])


def _counts(text: str) -> dict[str, int]:
    """The dictionary that nearest_oracle.py prints first."""
    for line in text.splitlines():
        if line.startswith("{"):
            return ast.literal_eval(line)
    raise Failure(f"nearest_oracle.py printed no counts: {text[-500:]}")


def _resident_kib(daemon: Server) -> int:
    fields = Path(f"/proc/{daemon.process.pid}/status").read_text().split("\n")
    return next(int(line.split()[1]) for line in fields if line.startswith("RssAnon"))


def _mutants(options, kit: Kit, outcome: Outcome, path: str, address: str, daemon: Server) -> None:
    """Canaries live, no reply changes, and memory does not grow once the first tenth has been sent."""
    log, grown = f"mutants-{path}.log", []
    for count, seed in ((max(options.mutants // 10, 500), 1), (options.mutants, 2)):
        tally = kit.tally("mutate.py", "--addr", address, "--port", 53, "--qname", f"{NAME}.", "--n", count, "--seed",
                          seed, log=log, seconds=60 + count // 1000)
        outcome.add("mutants", path, tally, log, [] if not tally.failed else ["see the log"])
        grown.append(_resident_kib(daemon))
    leaked = grown[1] - grown[0] > GROWTH_KIB
    outcome.add("memory after mutants", path, Tally(int(not leaked), int(leaked)), log,
                [f"{grown[0]} KiB before, {grown[1]} KiB after"] if leaked else [], asks=False)
