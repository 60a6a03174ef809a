"""From exec to the first answer out of XDP, and what it takes in memory."""
import contextlib
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import kernel_maps
import wire
from lab import Lab
from server import NAME, Server

PAUSE_S = 0.002
MIB = 1 << 20


class Probe(threading.Thread):
    """Asks for a tailored name until the program's own counter says that it answered."""

    def __init__(self, lab: Lab):
        super().__init__(daemon=True)
        self.answered_at: float | None = None
        self.stopping = threading.Event()
        self._socket = lab.client_socket(4)
        self._socket.settimeout(0.05)
        self._query = wire.query(1, NAME, wire.A)

    def run(self) -> None:
        while not self.stopping.is_set():
            at = self._ask()
            if at is not None:
                self.answered_at = at
                return
            time.sleep(PAUSE_S)

    def _ask(self) -> float | None:
        """When the reply came, if it came from XDP. Nobody else asks meanwhile."""
        try:
            pins = kernel_maps.folder()
            if pins is None:
                return None
            with contextlib.closing(kernel_maps.Counter(pins)) as counter:
                before = counter.read()
                self._socket.send(self._query)
                self._socket.recv(4096)
                at = time.monotonic()
                return at if counter.read() > before else None
        except OSError:
            return None


def favour(pid: int) -> None:
    """Lets a session go before other work of the machine, where the scheduler groups by session."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("-20")


def forget_cached(path: Path) -> None:
    """Takes a file out of the page cache, as after a boot."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _status(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / MIB
    return 0.0


@dataclass(frozen=True)
class Start:
    """What was seen of one start: seconds, and MiB of the process at its peak, of files mapped into it, of the maps."""

    seconds: float
    process: float
    mapped: float
    maps: float

    @property
    def memory(self) -> float:
        return self.process + self.maps


@contextlib.contextmanager
def started(lab: Lab, server: Server, database: Path):
    """Runs the daemon, and yields what its start was like."""
    forget_cached(database)
    probe = Probe(lab)
    probe.start()
    try:
        with server:
            probe.join(timeout=10)
            if probe.answered_at is None:
                raise server.failure("no answer out of XDP within 10 s of the daemon being ready")
            pid = server.process.pid
            favour(pid)
            yield Start(
                probe.answered_at - server.began, _status(pid, "VmHWM"), _status(pid, "RssFile"),
                kernel_maps.memory() / MIB,
            )
    finally:
        probe.stopping.set()
        probe.join()
