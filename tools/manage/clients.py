"""Clients of the whole IPv4 space, each asked through its subnet."""
import random
import select
import socket
import struct
from pathlib import Path

from console import Failure

WINDOW = 256
PATIENCE_S = 5


def sample(count: int, seed: int) -> list[int]:
    """Distinct /24s of public addresses, in the order of their numbers."""
    draw = random.Random(seed)
    found: set[int] = set()
    while len(found) < count:
        block = draw.randrange(1 << 24)
        if 1 <= block >> 16 < 224 and block >> 16 not in (10, 127):
            found.add(block)
    return sorted(found)


def query(number: int, name: bytes, block: int) -> bytes:
    subnet = struct.pack("!HHHBB", 8, 7, 1, 24, 0) + struct.pack("!I", block << 8)[:3]
    edns = b"\0" + struct.pack("!HHIH", 41, 1232, 0, len(subnet)) + subnet
    return struct.pack("!HHHHHH", number, 0, 1, 0, 0, 1) + name + struct.pack("!HH", 1, 1) + edns


def wire(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def answers(port: int, name: str, blocks: list[int]) -> dict[int, str | None]:
    """The first address that each client gets; None: an answer without one. A client without an answer is missing."""
    text, found = wire(name), {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect(("127.0.0.1", port))
        udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        for start in range(0, len(blocks), WINDOW):
            batch = blocks[start:start + WINDOW]
            for number, block in enumerate(batch):
                udp.send(query(number, text, block))
            left = len(batch)
            while left and select.select([udp], [], [], PATIENCE_S)[0]:
                reply = udp.recv(4096)
                found[batch[reply[1] | reply[0] << 8]] = first_address(reply, len(text))
                left -= 1
    return found


def first_address(reply: bytes, name: int) -> str | None:
    if not struct.unpack("!H", reply[6:8])[0]:
        return None
    # The answer's owner is a pointer to the question.
    record = 12 + name + 4 + 2
    kind, _, _, length = struct.unpack("!HHIH", reply[record:record + 10])
    return socket.inet_ntoa(reply[record + 10:record + 14]) if (kind, length) == (1, 4) else None


class Load:
    """Asks at a steady rate from a process of its own, and counts what was not answered."""

    def __init__(self, port: int, name: str, rate: int):
        self.port, self.name, self.rate = port, name, rate

    def run(self, stop, result) -> None:
        import time
        text, sent, got = wire(self.name), 0, 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.connect(("127.0.0.1", self.port))
            udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            udp.setblocking(False)
            start = time.monotonic()
            end = None
            while end is None or (got < sent and time.monotonic() < end):
                if end is None and stop.is_set():
                    end = time.monotonic() + PATIENCE_S
                due = int((time.monotonic() - start) * self.rate) if end is None else sent
                while sent < due:
                    udp.send(query(sent & 0xffff, text, 0x080808 + sent % 4096))
                    sent += 1
                select.select([udp], [], [], 0.002)
                try:
                    while True:
                        udp.recv(4096)
                        got += 1
                except BlockingIOError:
                    pass
        result.put((sent, got))


def require_database(path: Path) -> None:
    if not path.exists():
        raise Failure(f"{path} is missing: `make setup` gets it")
