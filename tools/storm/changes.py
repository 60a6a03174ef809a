"""Those who change: records over many connections, and nodes."""
import collections
import time
from pathlib import Path

from background import Background, Crew
from console import Failure
from control import Control
from world import ORIGIN, PAIRS, SINGLES, World, address


def _single(name: str, version: int) -> list[dict]:
    return [{"name": f"{name}.{ORIGIN}", "type": "A", "ttl": 60, "records": [address(version)]}]


def _pair(number: int, version: int) -> list[dict]:
    """Two RRsets that one reply holds: a mail server and its address."""
    return [{"name": f"m{number}.{ORIGIN}", "type": "MX", "ttl": 60,
             "records": [f"{version & 0xffff} t{number}.{ORIGIN}."]},
            {"name": f"t{number}.{ORIGIN}", "type": "A", "ttl": 60, "records": [address(version)]}]


class Changes(Crew):
    """Changes records over so many connections while a `with` block runs, of which the first `pairs` change two RRsets at once.
    `rate`: of all together a second; 0: each as soon as the one before is answered."""

    def __init__(self, stage: World, socket: Path, connections: int, pairs: int, rate: int = 0):
        super().__init__(self._run, [(number, connections) for number in range(connections)])
        self.stage, self.socket, self.pairs = stage, socket, pairs
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

    def _run(self, number: int, connections: int) -> None:
        is_pair = number < self.pairs
        own = range(number, PAIRS, self.pairs) if is_pair else range(number, SINGLES, connections)
        due = time.monotonic()
        turn = 0
        with Control(self.socket) as control:
            while not self.stopping.is_set():
                name = f"{'m' if is_pair else 's'}{own[turn % len(own)]}"
                turn += 1
                version = self.stage.wish(name)
                changes = _pair(int(name[1:]), version) if is_pair else _single(name, version)
                began = time.monotonic()
                try:
                    told = control.patch(f"/v1/zones/{ORIGIN}/rrsets", {"changes": changes})
                except (Failure, OSError) as failure:
                    self.problems.append(f"a change was refused: {failure}")
                    return
                self.stage.acknowledge(name, version)
                self.milliseconds.append((time.monotonic() - began) * 1e3)
                self.seen[told["fastPath"]] += 1
                due = max(due + self.pause, time.monotonic() - 1)
                time.sleep(max(0, due - time.monotonic()))


class Flips(Background):
    """Takes nodes out and back in, one at a time, every so many seconds."""

    NODES = ("fra1", "lhr1", "iad1", "syd1")

    def __init__(self, socket: Path, pause: float):
        super().__init__()
        self.socket, self.pause, self.count = socket, pause, 0

    def run(self) -> None:
        with Control(self.socket) as control:
            while not self.stopping.wait(self.pause):
                control.set_node(self.NODES[self.count // 2 % len(self.NODES)], "auto" if self.count % 2 else "down")
                self.count += 1
            for node in self.NODES:
                control.set_node(node, "auto")
