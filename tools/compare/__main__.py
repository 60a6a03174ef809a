"""Compares the nodes that Nearcast, gdnsd and PowerDNS answer to the same clients, with the same nodes and the same database."""
import argparse
import contextlib
import dataclasses
import ipaddress
import json
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(1, str(HERE.parent / "common"))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

try:
    import verify
except ModuleNotFoundError as missing:
    sys.exit(f"compare: {missing}: run it with {CACHE}/venv/bin/python, or as `make compare`")

import packages
import rivals
import wire
from console import Failure, heading, say, table, waiting
from ending import told
from lab import SERVER, Lab, check_host
from oracle import Node, Oracle, read_nodes
from server import NAME, Server, Service

# Addresses looked at to find one that the database puts near a node's city.
CANDIDATES = 300_000
# What resolvers send.
LENGTHS = {4: 24, 6: 56}


@dataclasses.dataclass(frozen=True)
class Sited(Node):
    """A node at an address that the database knows: PowerDNS looks up where answers are, and would know nothing else."""

    v4: str = ""

    def address(self, version: int) -> str:
        return self.v4 if version == 4 else super().address(version)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/compare", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="client subnets per address family (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random clients (default %(default)s)")
    parser.add_argument("--nodes", type=Path, default=HERE.parent / "common" / "nodes20.tsv", metavar="FILE",
                        help="list of nodes (default %(default)s)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--prefix", default="nearcast-cmp", help="prefix of the names of namespaces (default %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE")
    return parser.parse_args()


def site(oracle: Oracle, nodes: list[Node]) -> list[Sited]:
    """Every node moved to the nearest of many random places: where the database puts the address it gets."""
    draw = random.Random("sites")
    places: dict[tuple[float, float], tuple] = {}
    for _ in range(CANDIDATES):
        address = ipaddress.IPv4Address(draw.getrandbits(32))
        if (place := oracle.place(address)) is not None:
            places.setdefault((place.latitude, place.longitude), (address, place))
    best: list = [None] * len(nodes)
    for address, place in places.values():
        for node, distance in zip(nodes, oracle.distances(place)):
            if best[node.index] is None or distance < best[node.index][0]:
                best[node.index] = (distance, address, place)
    return [
        Sited(**dataclasses.asdict(node) | {"latitude": place.latitude, "longitude": place.longitude}, v4=str(address))
        for node, (_, address, place) in zip(nodes, best)
    ]


def exchange(lab: Lab, address: str, networks: list) -> list[wire.Reply | None]:
    """One query at a time, so that no server is overloaded."""
    replies: list[wire.Reply | None] = []
    socket = lab.client_socket(4)
    socket.connect((address, 53))
    for number, network in enumerate(networks):
        socket.send(wire.query(number & 0xFFFF, NAME, wire.A, network))
        try:
            reply = wire.parse(socket.recv(4096))
            while reply.id != number & 0xFFFF:
                reply = wire.parse(socket.recv(4096))
        except (TimeoutError, wire.Malformed):
            reply = None
        replies.append(reply)
    socket.close()
    return replies


def judge(oracle: Oracle, networks: list, replies: list, seed: int) -> dict:
    """Parts of the clients, and kilometres."""
    draw = random.Random(seed)
    extra, answered, unsound, scopes = [], 0, 0, []
    for network, reply in zip(networks, replies):
        node = oracle.by_address.get(reply.addresses[0]) if reply and reply.addresses else None
        if node is None:
            continue
        answered += 1
        place = oracle.ecs_place(network.network_address)
        distances = oracle.distances(place)
        extra.append(0.0 if oracle.accepts(place, node) else distances[node.index] - min(distances))
        scope = reply.scope()
        if scope is None:
            continue
        scopes.append(scope)
        # What a cache would give to others in the block (RFC 7871, section 7.3.1); it keeps nothing finer than was asked.
        kept = min(scope, network.prefixlen)
        unsound += not verify.scope_is_sound(oracle, network, kept, [node], draw)
    wrong = sorted(kilometres for kilometres in extra if kilometres)
    return {
        "asked": len(networks), "answered": answered, "nearest": answered - len(wrong),
        "extra_km_mean": round(sum(extra) / len(extra), 1) if extra else None,
        "extra_km_worst": round(wrong[-1]) if wrong else 0,
        "scope_median": statistics.median(scopes) if scopes else None, "unsound_scopes": unsound,
    }


def run(options: argparse.Namespace) -> list[dict]:
    check_host(options.database)
    packages.require("compare")
    with waiting("an address for each node"):
        sited = site(Oracle(options.database, read_nodes(options.nodes)), read_nodes(options.nodes))
    oracle = Oracle(options.database, sited)
    clients = {}
    for version, length in LENGTHS.items():
        drawn = verify.random_networks(oracle, version, options.count, options.seed)
        clients[version] = [ipaddress.ip_network((network.network_address, length), strict=False) for network in drawn]
    results = []
    with tempfile.TemporaryDirectory(prefix="nearcast-compare-") as scratch, Lab(options.prefix) as lab, \
            contextlib.ExitStack() as stack:
        service = Service(mode="off")
        stack.enter_context(Server(lab, options.binaries, options.database, sited, service))
        for rival in rivals.RIVALS:
            folder = Path(scratch) / rival.program
            stack.enter_context(rivals.started(lab, rival, folder, options.database, sited))
        servers = [("Nearcast", SERVER[4])] + [(rival.name, rival.address) for rival in rivals.RIVALS]
        for name, address in servers:
            for version, networks in clients.items():
                with waiting(f"{name}, IPv{version}"):
                    replies = exchange(lab, address, networks)
                results.append({"server": name, "clients": f"IPv{version}"} | judge(oracle, networks, replies, options.seed))
    return results


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "–"


def main() -> None:
    options = arguments()
    heading("Nodes that clients are sent to")
    with told("compare"):
        results = run(options)
    header = ["server", "clients", "answered", "to the nearest", "extra km", "worst", "median scope", "unsound scopes"]
    rows = [
        [row["server"], row["clients"], percent(row["answered"], row["asked"]), percent(row["nearest"], row["answered"]),
         f"{row['extra_km_mean']}", f"{row['extra_km_worst']:,}",
         "–" if row["scope_median"] is None else f"/{row['scope_median']:.0f}", percent(row["unsound_scopes"], row["answered"])]
        for row in results
    ]
    print(table(header, rows, frozenset(header[2:])))
    say(f"{options.count:,} random client subnets of each family, seed {options.seed}; {NAME} A over UDP")
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in results))


main()
