"""Sends queries for thousands of random prefixes, and compares each answer and scope with the independent computation."""
import collections
import ipaddress
import random
import time
from dataclasses import dataclass

import wire
from console import say, waiting
from lab import Lab
from oracle import FINEST_SCOPE, Oracle
from server import NAME, Server

IN_FLIGHT = 128
SCOPE_SAMPLES = 6
WRONG_SHOWN = 10
# Where allocated IPv6 addresses are. 2001::/32 (Teredo) and 2002::/16 (6to4) repeat IPv4 and are not drawn.
IPV6_STEMS = [0x2001, 0x2003, 0x2400, 0x2402, 0x2404, 0x2600, 0x2604, 0x2607, 0x2800, 0x2804, 0x2A00, 0x2A02, 0x2C0F]
# Source lengths: mostly what resolvers send, and every other one that a client may.
LENGTHS = {4: [24] * 12 + list(range(16, 33)), 6: [56] * 20 + [48] * 10 + list(range(32, 65, 2)) + [128]}


def _random_network(draw: random.Random, version: int):
    length = draw.choice(LENGTHS[version])
    if version == 4:
        return ipaddress.ip_network((draw.getrandbits(32), length), strict=False)
    stem = draw.choice(IPV6_STEMS)
    # Not Teredo: the second group is never zero.
    second = draw.randrange(1, 1 << 16)
    return ipaddress.ip_network((stem << 112 | second << 96 | draw.getrandbits(96), length), strict=False)


def random_networks(oracle: Oracle, version: int, count: int, seed: int) -> list:
    """`count` prefixes whose place the database knows."""
    draw = random.Random(f"{seed}/{version}")
    networks = []
    while len(networks) < count:
        network = _random_network(draw, version)
        if oracle.ecs_place(network.network_address) is not None:
            networks.append(network)
    return networks


def exchange(lab: Lab, networks: list, name: str = NAME) -> list[wire.Reply | None]:
    """Asks for `name` for each network, many in flight; None stands for a reply that never came."""
    version = networks[0].version
    socket = lab.client_socket(version)
    replies: list[wire.Reply | None] = [None] * len(networks)
    for start in range(0, len(networks), IN_FLIGHT):
        batch = range(start, min(start + IN_FLIGHT, len(networks)))
        for number in batch:
            socket.send(wire.query(number & 0xFFFF, name, wire.TYPES[version], networks[number]))
        missing = {number & 0xFFFF: number for number in batch}
        while missing:
            try:
                reply = wire.parse(socket.recv(4096))
            except TimeoutError:
                break
            if (number := missing.pop(reply.id, None)) is not None:
                replies[number] = reply
    socket.close()
    return replies


def scope_is_sound(oracle: Oracle, network, scope: int, nodes: list, draw: random.Random) -> bool:
    """Whether every address of the scope's block (ends and a sample) may be answered with `nodes`."""
    base = network.network_address
    spare = base.max_prefixlen - scope
    first = int(base) >> spare << spare
    offsets = [0, (1 << spare) - 1] + [draw.getrandbits(spare) for _ in range(SCOPE_SAMPLES)] if spare else [0]
    places = (oracle.ecs_place(type(base)(first + offset)) for offset in offsets)
    return all(place is not None and oracle.allows(place, nodes) for place in places)


def _judge(oracle: Oracle, network, reply: wire.Reply | None, draw: random.Random) -> str:
    """One word for what the reply is: `right`, or what is wrong with it."""
    if reply is None:
        return "lost"
    if reply.rcode or not reply.authoritative or not reply.addresses:
        return "malformed"
    if not reply.echoes(network):
        return "echo"
    nodes = [oracle.by_address.get(address) for address in reply.addresses]
    place = oracle.ecs_place(network.network_address)
    if None in nodes or not oracle.allows(place, nodes):
        return "wrong"
    shallowest = 16 if network.version == 4 else 32
    if not shallowest <= reply.scope() <= FINEST_SCOPE[network.version]:
        return "scope"
    return "right" if scope_is_sound(oracle, network, reply.scope(), nodes, draw) else "scope"


@dataclass(frozen=True)
class Verification:
    """What became of `asked` queries: how many replies were lost, wrong (lost ones too), or of unsound scope."""

    asked: int
    wrong: int
    unsound_scopes: int
    lost: int
    xdp_share: float
    seed: int
    seconds: float

    @property
    def failures(self) -> int:
        return self.wrong + self.unsound_scopes

    def figure(self) -> dict:
        """As a line of the benchmark's."""
        return {
            "figure": "wrong_answers", "value": self.wrong, "unit": "answers", "runs": 1, "min": self.wrong,
            "max": self.wrong, "asked": self.asked, "unsound_scopes": self.unsound_scopes, "lost": self.lost,
            "xdp_share": round(self.xdp_share, 4), "seed": self.seed, "seconds": round(self.seconds, 1),
        }


def verify(lab: Lab, server: Server, oracle: Oracle, count: int, seed: int) -> Verification:
    """Asks for `count` prefixes of each family; prints a line for each."""
    began = time.monotonic()
    total: collections.Counter = collections.Counter()
    before = server.fast_path_answers()
    for version in (4, 6):
        draw = random.Random(seed)
        with waiting(f"{count:,} random IPv{version} prefixes"):
            networks = random_networks(oracle, version, count, seed)
            replies = exchange(lab, networks)
            judged = [_judge(oracle, *pair, draw) for pair in zip(networks, replies)]
        total.update(judged)
        _report(oracle, version, networks, replies, judged)
    in_xdp = server.fast_path_answers() - before
    failures = sum(total.values()) - total["right"]
    return Verification(
        2 * count, failures - total["scope"], total["scope"], total["lost"], in_xdp / (2 * count), seed,
        time.monotonic() - began,
    )


def _report(oracle: Oracle, version: int, networks: list, replies: list, judged: list[str]) -> None:
    counts = collections.Counter(judged)
    scopes = collections.Counter(reply.scope() for reply in replies if reply and reply.ecs)
    faults = ", ".join(f"{number} {word}" for word, number in counts.items() if word != "right") or "none wrong"
    say(f"IPv{version}: {counts['right']:,} right, {faults}; most frequent scopes "
        + ", ".join(f"/{scope} ×{number:,}" for scope, number in scopes.most_common(5)))
    shown = [item for item in zip(networks, replies, judged) if item[2] != "right"][:WRONG_SHOWN]
    for network, reply, word in shown:
        nearest = oracle.nearest(oracle.ecs_place(network.network_address))
        say(f"  {word}: {network} → {reply}; nearest is {nearest.id} ({nearest.address(version)})")
