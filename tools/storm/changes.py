"""The sources of changes: records over many connections, and states of nodes."""
import collections
import json
import selectors
import socket
import time
from pathlib import Path

from background import Background
from control import Control
from world import ORIGIN, PAIRS, World, address

LONGEST_WAIT_S = 0.05
# How far behind its rate a connection may fall and still catch up.
BACKLOG_S = 2
PATIENCE_S = 20


def _single(name: str, version: int) -> list[dict]:
    return [{"name": f"{name}.{ORIGIN}", "type": "A", "ttl": 60, "records": [address(version)]}]


def _pair(number: int, version: int) -> list[dict]:
    """Two RRsets that one reply holds: a mail server and its address."""
    return [{"name": f"m{number}.{ORIGIN}", "type": "MX", "ttl": 60,
             "records": [f"{version & 0xffff} t{number}.{ORIGIN}."]},
            {"name": f"t{number}.{ORIGIN}", "type": "A", "ttl": 60, "records": [address(version)]}]


class _Changer:
    """A connection to the daemon with at most one change under way."""

    def __init__(self, path: Path, names: list[str], due: float):
        self.names, self.due, self.turn = names, due, 0
        self.name, self.version, self.began = "", 0, 0.0
        self.received = bytearray()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))

    def send(self, stage: World) -> None:
        """Asks for the next version of the next of its names."""
        self.name = self.names[self.turn % len(self.names)]
        self.turn += 1
        self.version = stage.wish(self.name)
        changes = _pair(int(self.name[1:]), self.version) if self.name[0] == "m" else _single(self.name, self.version)
        body = json.dumps({"changes": changes}).encode()
        self.began = time.monotonic()
        self.socket.sendall(b"PATCH /v1/zones/%b/rrsets HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b"
                            % (ORIGIN.encode(), len(body), body))

    def receive(self) -> tuple[int, dict] | None:
        """Status and body once they are whole."""
        piece = self.socket.recv(65_536)
        if not piece:
            raise ConnectionError("closed without an answer")
        self.received += piece
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = bytes(self.received[:end]).decode().lower()
        length = int(head.partition("content-length:")[2].split("\r\n")[0])
        body = bytes(self.received[end + 4:end + 4 + length])
        if len(body) < length:
            return None
        self.received.clear()
        status = int(head.split()[1])
        return status, json.loads(body) if status == 200 else {"error": body.decode(errors="replace")[:300]}


class Changes(Background):
    """Changes records over a number of connections while a `with` block runs; the first `pairs` change two RRsets at once.
    `rate`: of all together a second; 0: each as soon as the one before is answered. `singles`: names with an address.
    One thread for all: it shares the cores with what it measures."""

    def __init__(self, stage: World, path: Path, connections: int, pairs: int, rate: int = 0, singles: int = 2_000):
        super().__init__()
        self.stage, self.path, self.connections, self.pairs, self.singles = stage, path, connections, pairs, singles
        self.pause = connections / rate if rate else 0
        self.milliseconds: list[float] = []
        self.problems: list[str] = []
        self.seen: collections.Counter[str] = collections.Counter()

    def __enter__(self) -> "Changes":
        self._began = time.monotonic()
        return super().__enter__()

    def __exit__(self, *_) -> None:
        super().__exit__()
        self.seconds = time.monotonic() - self._began

    @property
    def count(self) -> int:
        return len(self.milliseconds)

    @property
    def ways(self) -> str:
        return ", ".join(f"{way}: {count:,}" for way, count in self.seen.most_common())

    def _names(self, number: int) -> list[str]:
        if number < self.pairs:
            return [f"m{other}" for other in range(number, PAIRS, self.pairs)]
        return [f"s{other}" for other in range(number, self.singles, self.connections)]

    def run(self) -> None:
        now = time.monotonic()
        idle = [_Changer(self.path, self._names(number), now + self.pause * number / self.connections)
                for number in range(self.connections)]
        every = list(idle)
        with selectors.DefaultSelector() as waiting:
            now = end = time.monotonic()
            while not self.stopping.is_set() or (waiting.get_map() and now < end + PATIENCE_S):
                now = time.monotonic()
                if self.stopping.is_set():
                    idle = []
                else:
                    end = now
                for changer in [one for one in idle if one.due <= now]:
                    idle.remove(changer)
                    changer.send(self.stage)
                    waiting.register(changer.socket, selectors.EVENT_READ, changer)
                next_due = min([one.due for one in idle], default=now + LONGEST_WAIT_S)
                for key, _ in waiting.select(max(0, min(next_due - now, LONGEST_WAIT_S))):
                    self._take(key.data, waiting, idle)
            late = waiting.get_map().values()
            self.problems += [f"a change of {key.data.name} had no answer for {PATIENCE_S} s" for key in late]
        for changer in every:
            changer.socket.close()

    def _take(self, changer: _Changer, waiting: selectors.BaseSelector, idle: list[_Changer]) -> None:
        try:
            told = changer.receive()
        except OSError as failure:
            told = 0, {"error": str(failure)}
        if not told:
            return
        waiting.unregister(changer.socket)
        if told[0] != 200:
            self.problems.append(f"a change was refused: {told[1]['error']}")
            return
        now = time.monotonic()
        self.stage.acknowledge(changer.name, changer.version)
        self.milliseconds.append((now - changer.began) * 1e3)
        self.seen[told[1]["fastPath"]] += 1
        changer.due = max(changer.due + self.pause, now - BACKLOG_S)
        idle.append(changer)


class Flips(Background):
    """Takes nodes out and back in, one at a time, at a fixed interval."""

    NODES = ("fra1", "lhr1", "iad1", "syd1")

    def __init__(self, socket: Path, pause: float):
        super().__init__()
        self.socket, self.pause, self.count = socket, pause, 0

    def run(self) -> None:
        due = time.monotonic()
        with Control(self.socket) as control:
            while not self.stopping.wait(max(0, due - time.monotonic())):
                control.set_node(self.NODES[self.count // 2 % len(self.NODES)], "auto" if self.count % 2 else "down")
                self.count += 1
                due = max(due + self.pause, time.monotonic() - BACKLOG_S)
            for node in self.NODES:
                control.set_node(node, "auto")
