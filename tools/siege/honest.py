"""Honest clients over UDP: 20 queries a second each, on the server's link and behind a router, IPv4 and IPv6, of the fast path and
of the slow one.

usage: honest.py, with one line of JSON as input: namespaces (`router`, `honest`), `database`, `nodes`, and `seed`. Prints `ready`.
A line of input, the name of a phase, begins it; the end of input ends the program, which prints what it found as JSON.

An answer's time is that which the kernel gave its datagram, so that a machine with two cores does not count the time until this program
ran again."""
import collections
import ipaddress
import json
import math
import os
import random
import select
import socket
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "common"))
sys.path.insert(1, str(HERE.parent / "bench"))

import wire
from field import ON_LINK, honest_address, socket_in
from lab import SERVER
from oracle import Oracle, read_nodes
from server import NAME
from verify import random_networks

RATE, LOST_AFTER_S = 20, 1.0
BIG, TXT = "big.example.com", 16
STRINGS = [f"{number}" * 220 for number in range(4)]
SO_TIMESTAMPNS = 35
NETWORKS = 400


@dataclass
class Stream:
    """A client that asks for one kind of name. `waiting`: by message id, when it was asked and what."""

    title: str
    version: int
    fast: bool
    socket: socket.socket
    due: float
    networks: list = field(default_factory=list)
    asked: int = 0
    waiting: dict = field(default_factory=dict)


@dataclass
class Count:
    """Of a phase and a path. `lost_at`: when those were asked that were lost (monotonic time)."""

    asked: int = 0
    lost: int = 0
    wrong: int = 0
    milliseconds: list = field(default_factory=list)
    where: collections.Counter = field(default_factory=collections.Counter)
    examples: list = field(default_factory=list)
    lost_at: list = field(default_factory=list)

    def report(self) -> dict:
        ordered = sorted(self.milliseconds) or [0]
        return {"asked": self.asked, "lost": self.lost, "wrong": self.wrong, "where": dict(self.where), "examples": self.examples[:5],
                "lost_at": self.lost_at,
                "p50_ms": ordered[len(ordered) // 2], "p99_ms": ordered[math.ceil(len(ordered) * 0.99) - 1], "max_ms": ordered[-1]}


def expected_text() -> bytes:
    return b"".join(bytes([len(text)]) + text.encode() for text in STRINGS)


def is_right_text(reply: bytes) -> bool:
    """The whole RRset, with authority, and without an error."""
    id, flags, questions, answers = struct.unpack_from("!HHHH", reply)
    return flags & 0x860F == 0x8400 and answers == 1 and expected_text() in reply


class Honest:
    def __init__(self, settings: dict):
        self.oracle = Oracle(Path(settings["database"]), read_nodes(Path(settings["nodes"])))
        self.phase = ""
        self.counts: dict[tuple[str, bool], Count] = collections.defaultdict(Count)
        self.poll = select.poll()
        self.streams: dict[int, Stream] = {}
        networks = {version: random_networks(self.oracle, version, NETWORKS, settings["seed"]) for version in (4, 6)}
        dice = random.Random(settings["seed"])
        for place, namespace in (("on-link", settings["router"]), ("routed", settings["honest"])):
            for version in (4, 6):
                for fast in (True, False):
                    self._add(place, Path(namespace), version, fast, networks[version], dice)

    def _add(self, place: str, namespace: Path, version: int, fast: bool, networks: list, dice: random.Random) -> None:
        source = ON_LINK[version] if place == "on-link" else honest_address(version, 100 + fast)
        one = socket_in(namespace, socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        one.bind((source, 0))
        one.connect((SERVER[version], 53))
        one.setblocking(False)
        self.streams[one.fileno()] = Stream(f"{place} IPv{version}", version, fast, one, time.monotonic() + dice.random() / RATE,
                                            networks)
        self.poll.register(one, select.POLLIN)

    def run(self) -> None:
        self.poll.register(sys.stdin, select.POLLIN)
        going = True
        while going or any(stream.waiting for stream in self.streams.values()):
            now = time.monotonic()
            for stream in self.streams.values():
                if going and now >= stream.due:
                    self._ask(stream)
                self._expire(stream, now)
            wait = min(stream.due for stream in self.streams.values()) - time.monotonic() if going else 0.02
            for descriptor, _ in self.poll.poll(max(0, min(wait, 0.02)) * 1e3):
                if descriptor in self.streams:
                    self._take(self.streams[descriptor])
                elif line := sys.stdin.readline():
                    self.phase = line.strip()
                else:
                    going = False
                    self.poll.unregister(sys.stdin)

    def _ask(self, stream: Stream) -> None:
        # One that is late asks once, not in a burst.
        stream.due = max(stream.due + 1 / RATE, time.monotonic() - 1 / RATE)
        stream.asked += 1
        id = stream.asked & 0xFFFF
        network = stream.networks[stream.asked % len(stream.networks)]
        query = wire.query(id, NAME, wire.TYPES[stream.version], network) if stream.fast else wire.query(id, BIG, TXT)
        self.counts[self.phase, stream.fast].asked += 1
        stream.waiting[id] = (time.monotonic(), time.time_ns(), self.phase, network)
        try:
            stream.socket.send(query)
        except OSError as error:
            self._lose(stream, id, f"send: {error.strerror}")

    def _lose(self, stream: Stream, id: int, why: str) -> None:
        began, _, phase, _ = stream.waiting.pop(id)
        count = self.counts[phase, stream.fast]
        count.lost += 1
        count.lost_at.append(began)
        # At least so long: what never came does not make the others look quick.
        count.milliseconds.append(LOST_AFTER_S * 1e3)
        count.where[f"{stream.title}: {why}"] += 1

    def _expire(self, stream: Stream, now: float) -> None:
        for id in [id for id, (began, *_) in stream.waiting.items() if now - began > LOST_AFTER_S]:
            # What the kernel has for it since then is not lost.
            self._take(stream)
            if id in stream.waiting:
                self._lose(stream, id, "no answer")

    def _take(self, stream: Stream) -> None:
        while True:
            try:
                reply, ancillary, _, _ = stream.socket.recvmsg(4096, 64)
            except BlockingIOError:
                return
            except OSError:
                # An ICMP error: the query it is about runs out of time.
                continue
            asked = stream.waiting.pop(int.from_bytes(reply[:2]), None)
            if asked is None:
                continue
            _, sent_ns, phase, network = asked
            stamps = [data for level, kind, data in ancillary if kind == SO_TIMESTAMPNS]
            seconds, nanoseconds = struct.unpack("qq", stamps[0]) if stamps else divmod(time.time_ns(), 1_000_000_000)
            count = self.counts[phase, stream.fast]
            count.milliseconds.append((seconds * 1_000_000_000 + nanoseconds - sent_ns) / 1e6)
            if not self._is_right(stream, reply, network):
                count.wrong += 1
                count.examples.append(f"{stream.title}: {reply[:48].hex()}")

    def _is_right(self, stream: Stream, reply: bytes, network) -> bool:
        if not stream.fast:
            return is_right_text(reply)
        try:
            read = wire.parse(reply)
        except wire.Malformed:
            return False
        nodes = [self.oracle.by_address.get(address) for address in read.addresses]
        return not read.rcode and len(nodes) == 1 and nodes[0] is not None and read.echoes(network) and self.oracle.allows(
            self.oracle.ecs_place(network.network_address), nodes)


def main() -> None:
    honest = Honest(json.loads(sys.stdin.readline()))
    print("ready", flush=True)
    honest.run()
    print(json.dumps([{"phase": phase, "fast": fast, **count.report()} for (phase, fast), count in honest.counts.items()]))


if __name__ == "__main__":
    main()
