"""Random zones: both paths must answer as NSD, Knot and BIND do."""
import ipaddress
import json
import random
from dataclasses import dataclass
from pathlib import Path

import dns.message
import exchange
import wire
from kit import Kit, Tally
from stage import FAST, NAME, REFERENCES, SLOW

JUDGES = ["NSD", "Knot", "BIND"]
# Replies over UDP are never longer (RFC 9715); the references are set to 4,096.
UDP_LIMIT = 1232
PAYLOAD = 4096
# A seed.
TAILORED_QUERIES = 256


@dataclass(frozen=True)
class Seed:
    """Zones and queries that one number stands for."""

    number: int
    folder: Path

    @property
    def table(self) -> Path:
        return self.folder / "zones.tsv"

    @property
    def queries(self) -> Path:
        return self.folder / "queries.jsonl"


def generate(kit: Kit, numbers: list[int], zones: int) -> list[Seed]:
    seeds = [Seed(number, kit.logs / f"seed-{number}") for number in numbers]
    for seed in seeds:
        kit.run("random_zones.py", "--seed", seed.number, "--zones", zones, "--out", seed.folder, log="zones.log",
                inside=False)
    return seeds


def wire_of(query: dict) -> bytes:
    """As compare_servers.py asks, with a fixed id."""
    message = dns.message.make_query(query["qname"], query["qtype"], want_dnssec=query["do"], use_edns=0,
                                     payload=PAYLOAD, id=7)
    message.flags = 0
    return message.to_wire()


def _compare(kit: Kit, seed: Seed, queries: Path, name: str, *options: str) -> tuple[Tally, list[dict]]:
    out = seed.folder / f"{name}.json"
    judges = ",".join(REFERENCES[judge] for judge in JUDGES)
    tally = kit.tally("compare_servers.py", "--queries", queries, "--refs", judges, "--sut", SLOW, "--out", out,
                      *options, log=f"compare-{seed.number}.log")
    return tally, json.loads(out.read_text())


def compare(kit: Kit, seed: Seed) -> tuple[Tally, list[dict]]:
    """nearcastd must answer what all three reference servers answer. Returns the count and the differences.

    A reply that does not fit into our limit is asked for again over TCP, as a resolver would.
    """
    tally, differences = _compare(kit, seed, seed.queries, "udp")
    cut = [difference for difference in differences if difference["why"] == "TC"]
    if not cut:
        return tally, differences
    retried = seed.folder / "truncated.jsonl"
    retried.write_text("".join(json.dumps(difference["q"]) + "\n" for difference in cut))
    again, over_tcp = _compare(kit, seed, retried, "tcp", "--tcp")
    wrong = {json.dumps(difference["q"]) for difference in over_tcp}
    cleared = [difference for difference in cut if json.dumps(difference["q"]) not in wrong
               and len(exchange.over_tcp(wire_of(difference["q"]), SLOW) or b"") > UDP_LIMIT]
    left = [difference for difference in differences if difference not in cleared]
    return Tally(tally.passed + len(cleared), tally.failed - len(cleared), tally.skipped), left


def same_replies(packets: list[tuple[dict, bytes]]) -> tuple[Tally, list[dict]]:
    """Both paths, the same queries: equal to the byte."""
    differences = []
    for query, packet in packets:
        slow, fast = exchange.over_udp(packet, SLOW), exchange.over_udp(packet, FAST)
        if slow is None or slow != fast:
            differences.append({"q": query, "slow": slow and slow.hex(), "fast": fast and fast.hex()})
    return Tally(len(packets) - len(differences), len(differences)), differences


def random_packets(seed: Seed) -> list[tuple[dict, bytes]]:
    """The seed's queries, without those for tailored names."""
    queries = [json.loads(line) for line in seed.queries.read_text().splitlines()]
    return [(query, wire_of(query)) for query in queries]


def tailored_packets(seed: Seed) -> list[tuple[dict, bytes]]:
    """Queries for the tailored name, from client subnets all over the address space."""
    draw = random.Random(seed.number)
    packets = []
    for version in (4, 6):
        for _ in range(TAILORED_QUERIES // 2):
            address = draw.getrandbits(32) if version == 4 else 0x2 << 124 | draw.getrandbits(124)
            network = ipaddress.ip_network((address, 24 if version == 4 else 56), strict=False)
            query = {"qname": NAME, "qtype": "A" if version == 4 else "AAAA", "subnet": str(network)}
            packets.append((query, wire.query(7, NAME, wire.TYPES[version], network)))
    return packets


def describe(difference: dict) -> str:
    """A command that shows it."""
    query = difference["q"]
    dnssec = " +dnssec" if query["do"] else " +edns"
    ours, theirs = difference["sut"][:160], difference["ref"][:160]
    return f"kdig @{SLOW} {query['qname']} {query['qtype']}{dnssec} +bufsize={PAYLOAD} +norec" \
           f"  # {difference['why']}: ours {ours} | theirs {theirs}"
