"""How long a look-up in the pinned location table takes, in the kernel, by BPF_PROG_TEST_RUN."""
import random
import statistics
import struct
import subprocess
from pathlib import Path

import kernel_maps
import native
import workload
from console import Failure
from figures import Figure
from oracle import Oracle

COUNT = 1 << 20  # ADDRESSES, c/location.h
CPU = 1


def _random(database: Path, version: int, path: Path) -> None:
    """Located addresses: of IPv4 uniformly over the addresses, of IPv6 over the networks."""
    with path.open("wb") as file:
        command = [native.tool("addresses"), database, version, COUNT, 1]
        subprocess.run([str(word) for word in command], stdout=file, check=True)


def _working_set(oracle: Oracle, version: int, path: Path) -> None:
    """The clients of `tailored_set_ns`, drawn uniformly."""
    draw = random.Random(3)
    clients = workload.located_subnets(oracle, version, workload.CLIENTS)
    words = [int.from_bytes(client.ljust(8, b"\0")) for client in clients]
    path.write_bytes(struct.pack(f"={COUNT}Q", *draw.choices(words, k=COUNT)))


def measure(name: str, oracle: Oracle, database: Path, runs: int, folder: Path) -> list[Figure]:
    """The look-up, and with those at random what a read of memory costs in the same run."""
    version = 4 if "v4" in name else 6
    addresses = folder / "addresses"
    is_set = name.endswith("_set_ns")
    if is_set:
        _working_set(oracle, version, addresses)
    else:
        _random(database, version, addresses)
    command = [native.tool("location"), native.program("location"), kernel_maps.program().parent, addresses, version, runs,
               CPU]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{name}: {done.stderr.strip()}")
    rows = [line.split() for line in done.stdout.splitlines()]
    if {int(row[-1]) for row in rows} != {COUNT}:
        raise Failure(f"{name}: {rows[0][-1]} of {COUNT:,} addresses were found")
    empty, *others = ([float(row[column]) for row in rows] for column in range(5))
    chained, free, bare, bare_free = ([b - a for a, b in zip(empty, column)] for column in others)
    note = f"each after the one before; {statistics.median(free):.1f} ns where they may overlap; the empty loop of " \
           f"{statistics.median(empty):.1f} ns is taken off"
    figures = [Figure.of(name, chained, "ns", note, digits=1)]
    if not is_set:
        lines = [a / b for a, b in zip(chained, bare)]
        note = f"of what a read in an array of 32 MiB costs: {statistics.median(bare):.1f} ns each after the one before, " \
               f"{statistics.median(bare_free):.1f} where they may overlap"
        figures.append(Figure.of(name.replace("_ns", "_reads"), lines, "×", note))
    return figures
