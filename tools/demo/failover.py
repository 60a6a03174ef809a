"""A node goes down: how long until the first answer on the wire that knows it."""
import socket
import subprocess
import threading
import time

import wire
from console import say
from lab import Lab
from oracle import Oracle
from server import NAME, Server
from survey import Client

WATCH_LIMIT_S = 5


class Relay:
    """Stands before the control socket and notes when the command's first byte passes.

    The time from there leaves out what the shell and the command's own start cost.
    """

    def __init__(self, server: Server):
        self.path = server.folder / "relay.sock"
        self.passed: float | None = None
        self._target = server.socket
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(1)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def _serve(self) -> None:
        try:
            command, _ = self._listener.accept()
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(str(self._target))
        except OSError:
            return
        threading.Thread(target=self._pump, args=(daemon, command), daemon=True).start()
        self._pump(command, daemon, note=True)

    def _pump(self, source: socket.socket, target: socket.socket, note: bool = False) -> None:
        try:
            while data := source.recv(1 << 16):
                if note and self.passed is None:
                    self.passed = time.monotonic()
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return


class Watcher(threading.Thread):
    """Asks without pause for one client and keeps each change of the answer with its time."""

    def __init__(self, lab: Lab, client: Client):
        super().__init__(daemon=True)
        self.changes: list[tuple[float, str]] = []
        self.asked = self.lost = 0
        self.stopping = threading.Event()
        self.changed = threading.Event()
        self._socket = lab.client_socket(client.version)
        ecs = client.prefix if client.by_ecs else None
        self._query = wire.query(0, NAME, wire.TYPES[client.version], ecs)

    def run(self) -> None:
        while not self.stopping.is_set():
            self.asked += 1
            id = self.asked & 0xFFFF
            try:
                self._socket.send(id.to_bytes(2) + self._query[2:])
                reply = wire.parse(self._socket.recv(4096))
            except OSError:
                self.lost += 1
                continue
            if reply.id != id:
                continue
            answer = reply.addresses[0] if len(reply.addresses) == 1 else f"{len(reply.addresses)} addresses"
            if not self.changes or self.changes[-1][1] != answer:
                self.changes.append((time.monotonic(), answer))
                self.changed.set()

    def next_change(self) -> tuple[float, str] | None:
        """The first change since the last call, waited for."""
        return self.changes[-1] if self.changed.wait(WATCH_LIMIT_S) else None


def _set(server: Server, watcher: Watcher, node: str, state: str) -> tuple[str, float, float]:
    """Sets the state; returns the new answer, and milliseconds since the daemon was told and since the command began."""
    relay = Relay(server)
    watcher.changed.clear()
    began = time.monotonic()
    command = server.command_line("node", "set", node, state, socket=relay.path)
    try:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise server.failure(f"`nearcast node set {node} {state}` failed: {done.stderr.strip()}")
        change = watcher.next_change()
    finally:
        relay.close()
    if change is None or relay.passed is None:
        raise server.failure(f"no changed answer within {WATCH_LIMIT_S} s of `nearcast node set {node} {state}`")
    return change[1], (change[0] - relay.passed) * 1e3, (change[0] - began) * 1e3


def failover(lab: Lab, server: Server, oracle: Oracle, client: Client) -> tuple[int, float]:
    """Returns the number of wrong answers and the milliseconds of the way down."""
    first = oracle.nearest(client.place)
    second = oracle.nearest(client.place, frozenset([first.id]))
    watcher = Watcher(lab, client)
    watcher.start()
    try:
        if watcher.next_change() is None:
            raise server.failure("no answer to the watcher's queries")
        down, down_ms, command_ms = _set(server, watcher, first.id, "down")
        up, up_ms, _ = _set(server, watcher, first.id, "up")
    finally:
        watcher.stopping.set()
        watcher.join()
    seen = [answer for _, answer in watcher.changes]
    right = [first.address(client.version), second.address(client.version), first.address(client.version)]
    say(f"client {client.label} in {client.place.city.split(' (')[0]}: nearest {first.id} ({first.city})")
    say(f"`nearcast node set {first.id} down`  → {down}, {second.id} ({second.city})")
    say(f"    {down_ms:.2f} ms from the daemon being told to the first changed answer on the wire")
    say(f"    {command_ms:.1f} ms from the start of the command, its own start included")
    say(f"`nearcast node set {first.id} up`    → {up} after {up_ms:.2f} ms")
    say(f"{watcher.asked:,} queries meanwhile, {watcher.lost} lost")
    if seen != right or watcher.lost:
        say(f"WRONG: answers {' → '.join(seen)}; expected {' → '.join(right)}, none lost")
        return 1, down_ms
    return 0, down_ms
