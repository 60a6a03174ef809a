"""Lets threads of high priority process the lab's packets, so that other work on the machine does not delay them."""
import contextlib
import os
import subprocess
from pathlib import Path

from console import Failure
from lab import SERVER_LINK, Lab

CLIENT_LINK = "ncc0"
CLIENT_CPU, SERVER_CPU = 0, 1
FIFO_PRIORITY = 10


def _napi_threads() -> dict[int, str]:
    found = {}
    for comm in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            name = comm.read_text()
            if name.startswith("napi/"):
                found[int(comm.parent.name)] = name
    return found


def _set_threaded(lab: Lab, side: str, link: str, value: int) -> None:
    # `ip netns exec` shows the namespace's own /sys; nsenter leaves the host's.
    path = f"/sys/class/net/{link}/threaded"
    command = ["ip", "netns", "exec", lab.namespace(side).name, "sh", "-c", f"echo {value} > {path}"]
    subprocess.run(command, check=True)


class Pair:
    """A veth pair whose packets are handled by threads: the client's on one CPU, the server's on the other."""

    def __init__(self, lab: Lab):
        self.lab = lab
        self.server_threads: list[int] = []
        self.client_threads: list[int] = []

    def __enter__(self) -> "Pair":
        self.client_threads = self._thread("cli", CLIENT_LINK, CLIENT_CPU)
        self.server_threads = self._thread("srv", SERVER_LINK, SERVER_CPU)
        return self

    def __exit__(self, *_) -> None:
        _set_threaded(self.lab, "srv", SERVER_LINK, 0)
        _set_threaded(self.lab, "cli", CLIENT_LINK, 0)

    def _thread(self, side: str, link: str, cpu: int) -> list[int]:
        before = _napi_threads()
        _set_threaded(self.lab, side, link, 1)
        mine = [pid for pid, name in _napi_threads().items() if pid not in before and name.startswith(f"napi/{link}")]
        if not mine:
            raise Failure(f"{link} of {self.lab.prefix}-{side} got no NAPI thread")
        for pid in mine:
            os.sched_setaffinity(pid, {cpu})
            os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(FIFO_PRIORITY))
        return mine

    def server_ns(self) -> int:
        """On-CPU time of the server's threads so far."""
        return self._ns(self.server_threads)

    def all_ns(self) -> int:
        """Of both sides' threads."""
        return self._ns(self.server_threads + self.client_threads)

    @staticmethod
    def _ns(threads: list[int]) -> int:
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in threads)
