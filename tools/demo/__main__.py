"""Nearcast in a lab of two namespaces, checked against an independent computation."""
import argparse
import contextlib
import json
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMMON = HERE.parent / "common"
sys.path.insert(1, str(COMMON))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

try:
    from failover import failover
    from kernel import leftovers, show
    from load import load
    from outage import FALL, HEALTH, INTERVAL_MS, Services, outage
    from verify import verify
except ModuleNotFoundError as missing:
    sys.exit(f"demo: {missing}: run it with {CACHE}/venv/bin/python, or as `make demo`")

from console import heading, say
from ending import told
from lab import Lab, check_host
from oracle import Oracle, read_nodes
from policy import POLICIES
from server import NAME, Server, Service
from survey import read_clients, survey


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/demo", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["run", "verify"], default="run", help="""run: the demonstration
        (default); verify: only the answers to many random prefixes, with one JSON line at the end""")
    parser.add_argument("--keep", action="store_true", help="keep lab and daemon running, and print commands to try")
    parser.add_argument("--seconds", type=int, default=5, help="length of the dnsperf run (default %(default)s)")
    parser.add_argument("--count", type=int, default=10_000, help="verify: prefixes per address family (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="verify: seed of the random prefixes (default %(default)s)")
    parser.add_argument("--fast-path", choices=["native", "off"], default="native", help="""verify: off lets user
        space answer everything (default %(default)s)""")
    parser.add_argument("--nodes", type=Path, default=COMMON / "nodes20.tsv", metavar="FILE", help="""verify: lines of
        id, city, latitude, longitude, country and continent, or of city, latitude and longitude (default %(default)s)""")
    parser.add_argument("--policy", choices=list(POLICIES), default="nearest", help="""verify: policy of tools/common/policy.py
        (default %(default)s)""")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast"), help="""prefix of the names of
        namespaces (default %(default)s)""")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    options = parser.parse_args()
    if options.what == "run":
        for name in ("fast_path", "nodes", "policy"):
            if getattr(options, name) != parser.get_default(name):
                parser.error(f"--{name.replace('_', '-')} is of `verify`")
    return options


def demonstrate(
    lab: Lab, server: Server, oracle: Oracle, running: Services, seconds: int
) -> tuple[int, list[dict]]:
    clients = read_clients(HERE / "clients.tsv", oracle)
    heading(f"Which node each client gets: {NAME}, {len(oracle.nodes)} nodes, {len(clients)} clients (kdig)")
    wrong = survey(lab, server, oracle, clients)
    heading("An operator takes a node down, and up again")
    told = next(c for c in clients if c.by_ecs and c.version == 4 and c.place.continent == "EU")
    wrong += failover(lab, server, oracle, told)[0]
    heading(f"A node's server stops without notice (TCP check every {INTERVAL_MS} ms; {FALL} failures)")
    wrong += outage(lab, server, oracle, next(c for c in clients if c.by_ecs and c.version == 4), running)
    heading("Load (dnsperf)")
    sender = next(c for c in clients if not c.by_ecs and c.version == 6)
    share = load(lab, server, [told, sender], seconds)
    if share < 0.99:
        say("WRONG: less than 99 % were answered in XDP")
        wrong += 1
    heading("In the kernel (bpftool)")
    return wrong, show(lab)


def explain_playing(lab: Lab, server: Server, running: Services | None) -> None:
    """How to use what `--keep` leaves."""
    cli = " ".join(lab.command("cli"))
    srv = " ".join(lab.command("srv"))
    heading("The lab is still running. Try:")
    # The same client before and after: the answer moves.
    ask = f"{cli} kdig @192.0.2.53 {NAME} +subnet=89.245.124.0/24 +short"
    say(ask)
    for words in (("status",), ("explain", NAME, "A", "--from", "89.245.124.0/24"), ("node", "set", "fra1", "down")):
        say(" ".join(server.command_line(*words)))
    say(ask)
    say(f"{srv} bpftool net show")
    say(f"configuration and log: {server.folder}")
    heading("To remove:")
    processes = " ".join(str(part.process.pid) for part in (server, running) if part)
    say(f"kill {processes} && {HERE.parent}/lab/lab --prefix {lab.prefix} down && rm -r {server.folder}")


def run(options: argparse.Namespace) -> int:
    """Returns the number of wrong answers and other faults."""
    check_host(options.database)
    policy = POLICIES[options.policy]
    oracle = Oracle(options.database, read_nodes(options.nodes), policy)
    is_run = options.what == "run"
    service = Service(mode=options.fast_path, policy=policy, health=HEALTH if is_run else "")
    programs: list[dict] = []
    heading(f"Lab: namespaces {options.prefix}-srv and {options.prefix}-cli, joined by a veth pair")
    with contextlib.ExitStack() as stack:
        lab = stack.enter_context(Lab(options.prefix))
        running = stack.enter_context(Services(lab, oracle.nodes)) if is_run else None
        server = stack.enter_context(Server(lab, options.binaries, options.database, oracle.nodes, service))
        say(f"ready after {server.ready_after_s:.1f} s; fast path {server.mode() or 'off'}")
        if running is None:
            of = f"{len(oracle.nodes)} nodes, policy {options.policy}"
            heading(f"{2 * options.count:,} random prefixes, {of} (own packets)")
            found = verify(lab, server, oracle, options.count, options.seed)
            print(json.dumps(found.figure()), flush=True)
            wrong = found.failures
        else:
            wrong, programs = demonstrate(lab, server, oracle, running, options.seconds)
        if options.keep:
            lab.keep = True
            explain_playing(lab, server, running)
            return wrong
    left = leftovers(lab, programs)
    if options.what == "run":
        heading("Removed")
        say("lab, programs, maps and pins are gone" if not left else f"WRONG: left behind: {', '.join(left)}")
    elif left:
        print(f"left behind: {', '.join(left)}", file=sys.stderr)
    return wrong + len(left)


def main() -> None:
    options = arguments()
    began = time.monotonic()
    with told("demo"):
        wrong = run(options)
    if options.what == "run":
        heading(f"{'All answers right' if not wrong else f'{wrong} WRONG'}, {time.monotonic() - began:.0f} s")
    sys.exit(1 if wrong else 0)


main()
