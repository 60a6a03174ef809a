"""Nearcast against a program that only turns frames around: answers a second, and server CPU for each."""
import contextlib
import json
import os
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

import native
from console import Failure, say, waiting
from figures import Figure
from lab import SERVER_LINK, Lab
from workload import Workload

CLIENT_LINK = "ncc0"
CLIENT_CPU, SERVER_CPU = 0, 1
SECONDS = 3
# In flight at most; the ring of a veth holds 256 frames, and drops what comes beyond.
WINDOW = 256
FIFO_PRIORITY = 10
# The scheduler leaves a twentieth to others even where a real-time thread would take all.
SATURATED = 0.92


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

    def __enter__(self) -> "Pair":
        self._thread("cli", CLIENT_LINK, CLIENT_CPU)
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
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in self.server_threads)


@dataclass(frozen=True)
class Run:
    """Replies a second, server nanoseconds for each, and the share of its CPU the server used."""

    rate: float
    cost: float
    busy: float


def _run(pair: Pair, frames: Path, clients: Path, answers: bool) -> Run:
    """One flood; `answers` says that replies must carry records."""
    arguments = [native.program("flood"), frames, clients, CLIENT_LINK, SECONDS, WINDOW, CLIENT_CPU]
    before = pair.server_ns()
    done = subprocess.run(pair.lab.command("cli", native.tool("flood"), *arguments), capture_output=True, text=True)
    spent = pair.server_ns() - before
    if done.returncode:
        raise Failure(done.stderr.strip())
    tally = json.loads(done.stdout)
    counted = tally["answers" if answers else "replies"]
    if not counted or counted < 0.99 * tally["sent"]:
        raise Failure(f"{tally['sent']:,} queries were sent, {tally['replies']:,} replies came, "
                      f"{tally['answers']:,} with an answer")
    return Run(counted / tally["seconds"], spent / counted, spent / 1e9 / tally["seconds"])


@contextlib.contextmanager
def reflector(prefix: str):
    """A lab of its own in which the server's end reflects."""
    with Lab(prefix) as lab:
        attach = ["ip", "link", "set", "dev", SERVER_LINK, "xdpdrv", "obj", native.program("reflect"), "sec", "xdp"]
        subprocess.run(lab.command("srv", *attach), check=True)
        yield lab


def _describe(name: str, runs: list[Run]) -> None:
    rate, cost, busy = (statistics.median(getattr(run, field) for run in runs) for field in ("rate", "cost", "busy"))
    limit = "the server" if busy >= SATURATED else "the generator"
    rates = [run.rate / 1e6 for run in runs]
    say(f"{name}: {rate / 1e6:.2f} million a second ({min(rates):.2f}–{max(rates):.2f}), {cost:.0f} ns of server CPU "
        f"each, its CPU {busy:.0%} busy: {limit} is the limit")


def measure(lab: Lab, workload: Workload, runs: int, folder: Path) -> list[Figure]:
    """Alternates the two, so that a disturbance of the machine meets both."""
    if (os.cpu_count() or 1) < 2:
        raise Failure("needs two CPUs: one for the client, one for the server")
    files = workload.write(folder)
    nearcast, mirror = [], []
    with reflector(f"{lab.prefix}-mirror") as other, Pair(lab) as ours, Pair(other) as theirs:
        with waiting(f"{runs} × {SECONDS} s of each"):
            for _ in range(runs):
                mirror.append(_run(theirs, *files, answers=False))
                nearcast.append(_run(ours, *files, answers=True))
    _describe("reflector", mirror)
    _describe("Nearcast", nearcast)
    rates = [ours.rate / theirs.rate for ours, theirs in zip(nearcast, mirror)]
    costs = [ours.cost / theirs.cost for ours, theirs in zip(nearcast, mirror)]
    note = "{:.2f} against {:.2f} {}".format
    return [
        Figure.of("veth_ratio", rates, "×", note(*_medians(nearcast, mirror, "rate", 1e6), "million answers a second")),
        Figure.of("cpu_ratio", costs, "×", note(*_medians(nearcast, mirror, "cost", 1), "ns of server CPU an answer")),
    ]


def _medians(ours: list[Run], theirs: list[Run], field: str, unit: float) -> tuple[float, float]:
    return tuple(statistics.median(getattr(run, field) for run in runs) / unit for runs in (ours, theirs))
