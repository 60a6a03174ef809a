"""Queries of every kind a server meets: tailored and not, well formed and not."""
import random
import struct

import wire
from server import NAME
from verify import random_networks
from workload import NAMES

STATIC = ["example.com", "ns1.example.com", "mail.example.com", "api.example.com"]
ABSENT = ["nobody.example.com", "a.b.c.www.example.com", "com", "example.org", "www.example.com.example.net", "."]
TYPES = [(wire.A, 10), (wire.AAAA, 6), (16, 1), (15, 1), (255, 1), (6, 1), (2, 1), (5, 1), (65, 1), (65280, 1), (0, 1)]
CLASSES = [(1, 60), (3, 1), (255, 1), (254, 1), (0, 1)]
PAYLOADS = [0, 512, 1232, 4096, 65535]
NSID, PADDING = 3, 12


def _pick(draw: random.Random, weighted: list[tuple[int, int]]) -> int:
    return draw.choices([value for value, _ in weighted], [weight for _, weight in weighted])[0]


def _name(draw: random.Random) -> bytes:
    kind = draw.random()
    name = draw.choice([NAME, *NAMES]) if kind < 0.75 else draw.choice(STATIC if kind < 0.88 else ABSENT)
    if draw.random() < 0.5:
        name = "".join(draw.choice((letter.lower(), letter.upper())) for letter in name)
    return b"\0" if name == "." else wire.encode_name(name)


def _option(code: int, data: bytes) -> bytes:
    return struct.pack("!HH", code, len(data)) + data


def _spoilt(draw: random.Random, data: bytes) -> bytes:
    """An ECS option with one thing wrong, or merely unusual."""
    family, source, scope = struct.unpack_from("!HBB", data)
    address = data[4:]
    return draw.choice([
        struct.pack("!HBB", draw.choice([0, 3, 65535]), source, scope) + address,
        struct.pack("!HBB", family, draw.choice([33, 129, 255]), scope) + address,
        struct.pack("!HBB", family, source, draw.randrange(1, 33)) + address,
        data + b"\0",
        data[: draw.randrange(len(data))],
        struct.pack("!HBB", family, max(1, source - 5), scope) + address[:-1] + b"\xff",
        struct.pack("!HBB", family, 0, 0),
    ])


class Questions:
    """An endless, reproducible supply."""

    def __init__(self, oracle, seed: int):
        self._draw = random.Random(seed)
        self._networks = {version: random_networks(oracle, version, 3000, seed) for version in (4, 6)}

    def _ecs(self) -> bytes:
        version = 4 if self._draw.random() < 0.6 else 6
        return wire.encode_ecs(self._draw.choice(self._networks[version]))

    def _options(self) -> bytes:
        kind = self._draw.random()
        if kind < 0.25:
            return b""
        if kind < 0.8:
            return _option(wire.ECS, self._ecs())
        if kind < 0.9:
            return _option(wire.ECS, _spoilt(self._draw, self._ecs()))
        if kind < 0.94:
            return _option(self._draw.choice([NSID, 65001]), b"")
        if kind < 0.97:
            return _option(PADDING, bytes(self._draw.randrange(40))) + _option(wire.ECS, self._ecs())
        return self._draw.choice([
            _option(wire.ECS, self._ecs()) * 2, _option(wire.ECS, self._ecs())[:-1], b"\0", b"\0\x08\0\xff",
        ])

    def _opt(self) -> bytes:
        options = self._options()
        version = 1 if self._draw.random() < 0.02 else 0
        extended = 1 if self._draw.random() < 0.01 else 0
        flags = self._draw.choice([0, 0, 0x8000, 0x8000, 0x4000])
        head = struct.pack("!HHBBHH", wire.OPT, self._draw.choice(PAYLOADS), extended, version, flags, len(options))
        return b"\0" + head + options

    def one(self, id: int) -> bytes:
        """A query that a server must reply to."""
        draw = self._draw
        flags = draw.choice([0x0000, 0x0100, 0x0100, 0x0120, 0x0110, 0x0130])
        if draw.random() < 0.02:
            flags |= draw.choice([0x1000, 0x2000, 0x2800, 0x0200, 0x0400, 0x0080, 0x0040, 0x0003])
        opts = [] if draw.random() < 0.2 else [self._opt()] * (2 if draw.random() < 0.01 else 1)
        counts = [1, 0, 0, len(opts)]
        if draw.random() < 0.02:
            counts[draw.randrange(4)] = draw.choice([0, 2, 3])
        message = struct.pack("!HH4H", id, flags, *counts) + _name(draw)
        message += struct.pack("!HH", _pick(draw, TYPES), _pick(draw, CLASSES)) + b"".join(opts)
        if draw.random() < 0.01:
            return message[: draw.randrange(12, len(message))]
        if draw.random() < 0.01:
            return message + bytes(draw.randrange(1, 5))
        return message
