"""The same queries to a daemon with the fast path and to one without: every reply must be the same message."""
import ipaddress
import select
import time
from dataclasses import dataclass

from console import say, waiting
from figures import Figure
from lab import Lab
from oracle import Oracle
from questions import Questions
from server import Server
from workload import CLIENT, located_subnets

SENDERS = 40
SILENCE_S = 0.5
IN_FLIGHT = 64
SHOWN = 10
OTHER_PORT = 5300


@dataclass(frozen=True)
class Asked:
    sender: str
    message: bytes


def _senders(lab: Lab, oracle: Oracle) -> list[str]:
    """Addresses of many places; the lab's client takes them as its own."""
    found = []
    for version in (4, 6):
        size = {4: 4, 6: 16}[version]
        for prefix in located_subnets(oracle, version, SENDERS // 2 - 1, seed=5):
            found.append(str(ipaddress.ip_address(prefix.ljust(size - 1, b"\0") + b"\x09")))
        found.append(CLIENT[version])
    lab.add_clients([sender for sender in found if sender not in CLIENT.values()])
    return found


def _questions(oracle: Oracle, senders: list[str], count: int) -> list[Asked]:
    """In the order of their senders; message ids are the queries' numbers."""
    questions = Questions(oracle, seed=3)
    share = -(-count // len(senders))
    return [Asked(senders[number // share], questions.one(number & 0xFFFF)) for number in range(count)]


def _collect(socket, missing: dict[bytes, int], replies: list[bytes | None]) -> None:
    """Reads until every reply is there, or for SILENCE_S there was none."""
    deadline = time.monotonic() + SILENCE_S
    while missing and (left := deadline - time.monotonic()) > 0:
        if not select.select([socket], [], [], left)[0]:
            return
        reply = socket.recv(65536)
        number = missing.pop(reply[:2], None)
        if number is not None:
            replies[number] = reply
            deadline = time.monotonic() + SILENCE_S


def _exchange(lab: Lab, asked: list[Asked], port: int) -> list[bytes | None]:
    """The reply to each, None where there was none."""
    replies: list[bytes | None] = [None] * len(asked)
    sender, socket = "", None
    for start in range(0, len(asked), IN_FLIGHT):
        batch = range(start, min(start + IN_FLIGHT, len(asked)))
        for _, group in _by_sender(asked, batch):
            if asked[group[0]].sender != sender:
                sender = asked[group[0]].sender
                socket = lab.client_socket(ipaddress.ip_address(sender).version, sender, port)
            for number in group:
                socket.send(asked[number].message)
            _collect(socket, {asked[number].message[:2]: number for number in group}, replies)
    return replies


def _by_sender(asked: list[Asked], numbers: range) -> list[tuple[str, list[int]]]:
    groups: dict[str, list[int]] = {}
    for number in numbers:
        groups.setdefault(asked[number].sender, []).append(number)
    return list(groups.items())


def measure(lab: Lab, fast: Server, slow: Server, oracle: Oracle, count: int) -> Figure:
    """`slow` answers on OTHER_PORT, in user space."""
    asked = _questions(oracle, _senders(lab, oracle), count)
    before = fast.fast_path_answers()
    with waiting(f"{count:,} queries of all kinds to both"):
        first = _exchange(lab, asked, 53)
        second = _exchange(lab, asked, OTHER_PORT)
    in_xdp = fast.fast_path_answers() - before
    if slow.fast_path_answers():
        raise slow.failure("the daemon with `fast_path: {mode: off}` answered in XDP")
    different = [number for number in range(count) if first[number] != second[number]]
    for number in different[:SHOWN]:
        say(f"  from {asked[number].sender}: {asked[number].message.hex()}")
        for path, reply in (("with fast path", first[number]), ("without", second[number])):
            say(f"    {path:>14}: {'no reply' if reply is None else reply.hex()}")
    silent = sum(reply is None for reply in first)
    note = f"{count:,} queries, {in_xdp:,} of them answered in XDP, {silent} without reply"
    return Figure("parity_mismatches", len(different), "messages", 1, len(different), len(different), note)
