"""A node's server stops, and the daemon detects it by its checks."""
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from child import end
from console import Failure, say
from flip import Watcher
from lab import Lab
from oracle import Node, Oracle
from server import Server
from survey import Client

PORT = 80
INTERVAL_MS = 200
FALL = 3
RISE = 2
# Of the configuration, under the key `health`.
HEALTH = (f"{{interval: {INTERVAL_MS}ms, fall: {FALL}, rise: {RISE}, slow_start: 0s, "
          f"checks: [{{type: tcp, port: {PORT}}}]}}")


class Services:
    """A listening server for each node, at the node's address on the daemon's side of the lab, while a `with` block runs
    (longer when the lab is kept)."""

    def __init__(self, lab: Lab, nodes: list[Node]):
        self._lab = lab
        self._addresses = [node.address(4) for node in nodes]

    def __enter__(self) -> "Services":
        batch = "".join(f"addr add {address}/32 dev lo\n" for address in self._addresses)
        subprocess.run(self._lab.command("srv", "ip", "-batch", "-"), input=batch, text=True, check=True)
        program = Path(__file__).with_name("services.py")
        command = self._lab.command("srv", sys.executable, program, PORT, *self._addresses)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if self.process.stdout.readline() != "ready\n":
            raise Failure("the servers of the nodes did not start")
        return self

    def __exit__(self, *_) -> None:
        if self._lab.keep:
            self._tell("stay\n")
        else:
            end(self.process)

    def stop(self, node: Node) -> float:
        """Ends a node's server; when that was done."""
        return self._tell(f"stop {node.address(4)}\n")

    def start(self, node: Node) -> float:
        """Starts it again; when that was done."""
        return self._tell(f"start {node.address(4)}\n")

    def _tell(self, line: str) -> float:
        self.process.stdin.write(line)
        self.process.stdin.flush()
        if self.process.stdout.readline() != line:
            raise Failure(f"the servers of the nodes did not carry out: {line.strip()}")
        return time.monotonic()


def _until_changed(server: Server, watcher: Watcher, act: Callable[[], float]) -> float:
    """Milliseconds from the act to the first changed answer."""
    watcher.changed.clear()
    acted = act()
    change = watcher.next_change()
    if change is None:
        raise server.failure("the answer did not change")
    return (change[0] - acted) * 1e3


def outage(lab: Lab, server: Server, oracle: Oracle, client: Client, running: Services) -> int:
    """Returns the number of faults."""
    first = oracle.nearest(client.place)
    second = oracle.nearest(client.place, frozenset([first.id]))
    watcher = Watcher(lab, client.prefix, client.by_ecs)
    watcher.start()
    try:
        if watcher.next_change() is None:
            raise server.failure("no answer to the watcher's queries")
        down = _until_changed(server, watcher, lambda: running.stop(first))
        up = _until_changed(server, watcher, lambda: running.start(first))
    finally:
        watcher.stopping.set()
        watcher.join()
    seen = [answer for _, answer in watcher.changes]
    right = [first.address(client.version), second.address(client.version), first.address(client.version)]
    say(f"client {client.label} in {client.place.city.split(' (')[0]}: nearest {first.id} ({first.city})")
    say(f"its server stops            → {seen[1]}, {second.id} ({second.city}) after {down:.0f} ms")
    say(f"it runs again               → {seen[-1]} after {up:.0f} ms")
    say(f"{watcher.asked:,} queries during this, {watcher.lost} lost")
    if seen != right or watcher.lost:
        say(f"WRONG: answers {' → '.join(seen)}; expected {' → '.join(right)}, none lost")
        return 1
    return 0
