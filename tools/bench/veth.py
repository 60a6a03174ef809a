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
from napi import CLIENT_CPU, CLIENT_LINK, Pair
from workload import Workload

SECONDS = 3
# In flight at most; the ring of a veth holds 256 frames, and drops what comes beyond.
WINDOW = 256
# The scheduler leaves a twentieth to others even where a real-time thread would take all.
SATURATED = 0.92


@dataclass(frozen=True)
class Run:
    """Replies a second, server nanoseconds for each, and the share of its CPU the server used."""

    rate: float
    cost: float
    busy: float


def flood(server, frames: Path, clients: Path, answers: bool, window: int = WINDOW, least: float = 0.99) -> Run:
    """One flood of what has a `lab` and tells `server_ns`. `answers`: replies must carry records; `least`: this share of
    the queries must be replied to."""
    arguments = [native.program("flood"), frames, clients, CLIENT_LINK, SECONDS, window, CLIENT_CPU]
    before = server.server_ns()
    done = subprocess.run(server.lab.command("cli", native.tool("flood"), *arguments), capture_output=True, text=True)
    spent = server.server_ns() - before
    if done.returncode:
        raise Failure(done.stderr.strip())
    tally = json.loads(done.stdout)
    counted = tally["answers" if answers else "replies"]
    if not counted or counted < least * tally["sent"]:
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


def describe(name: str, runs: list[Run]) -> None:
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
                mirror.append(flood(theirs, *files, answers=False))
                nearcast.append(flood(ours, *files, answers=True))
    describe("reflector", mirror)
    describe("Nearcast", nearcast)
    rates = [ours.rate / theirs.rate for ours, theirs in zip(nearcast, mirror)]
    costs = [ours.cost / theirs.cost for ours, theirs in zip(nearcast, mirror)]
    note = "{:.2f} against {:.2f} {}".format
    return [
        Figure.of("veth_ratio", rates, "×", note(*_medians(nearcast, mirror, "rate", 1e6), "million answers a second")),
        Figure.of("cpu_ratio", costs, "×", note(*_medians(nearcast, mirror, "cost", 1), "ns of server CPU an answer")),
    ]


def _medians(ours: list[Run], theirs: list[Run], field: str, unit: float) -> tuple[float, float]:
    return tuple(statistics.median(getattr(run, field) for run in runs) / unit for runs in (ours, theirs))
