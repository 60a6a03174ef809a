"""Measures the time from a change of a node's state to the first answer on the wire that follows it."""
import socket
import subprocess
import threading
import time
from dataclasses import dataclass

import wire
from lab import Lab
from server import NAME, Server

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
    """Asks without pause for one client, by ECS or not, and keeps each change of the answer with its time."""

    def __init__(self, lab: Lab, network, by_ecs: bool):
        super().__init__(daemon=True)
        self.changes: list[tuple[float, str]] = []
        self.asked = self.lost = 0
        self.stopping = threading.Event()
        self.changed = threading.Event()
        self._socket = lab.client_socket(network.version)
        self._query = wire.query(0, NAME, wire.TYPES[network.version], network if by_ecs else None)

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


@dataclass(frozen=True)
class Flip:
    """The new answer, and the milliseconds to it from the API call and from the start of the command."""

    answer: str
    told_ms: float
    command_ms: float


def flip(server: Server, watcher: Watcher, node: str, state: str) -> Flip:
    """Sets the state by `nearcast node set` and waits for the watcher's first changed answer."""
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
    return Flip(change[1], (change[0] - relay.passed) * 1e3, (change[0] - began) * 1e3)
