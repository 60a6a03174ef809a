"""How long the program takes for a query, net of everything else, by BPF_PROG_TEST_RUN."""
import subprocess
import statistics
from pathlib import Path

import kernel_maps
import native
from console import Failure, say
from figures import Figure
from workload import Workload

REPEAT = 200_000
CPU = 1
TRANSMITTED, PASSED = 3, 2


def measure(name: str, workload: Workload, runs: int, folder: Path) -> tuple[Figure, list[float]]:
    """Runs the live program on its own queries; checks that every one of them was answered (or declined).

    The second is what one of the yardstick's hashes took beside each run.
    """
    pin = kernel_maps.program()
    answered = kernel_maps.Counter(pin.parent)
    before = answered.read()
    command = [native.tool("timing"), native.program("timing"), *workload.write(folder), pin, REPEAT, runs, CPU]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    counted = answered.read() - before
    answered.close()
    if done.returncode:
        raise Failure(f"{name}: {done.stderr.strip()}")
    rows = [line.split() for line in done.stdout.splitlines()]
    declined = name.startswith("declined")
    expected = 0 if declined else (runs + 1) * REPEAT
    verdicts = {int(row[2]) for row in rows}
    if verdicts != {PASSED if declined else TRANSMITTED} or counted != expected:
        raise Failure(f"{name}: {counted:,} of {expected:,} queries were answered, verdicts {verdicts}")
    whole, empty, hashes = ([float(row[column]) for row in rows] for column in (0, 1, 3))
    net = [a - b for a, b in zip(whole, empty)]
    hashed = statistics.median(a / b for a, b in zip(net, hashes))
    note = f"{statistics.median(whole):.0f} ns with the program, {statistics.median(empty):.0f} ns without; as long as " \
           f"{hashed:.1f} of the yardstick's hashes in the same runs"
    return Figure.of(name, net, "ns", note, digits=1), hashes


def explain(figures: dict[str, float]) -> None:
    """What the differences between the workloads say."""
    parts = [
        ("answering a plain query over declining a foreign port", "tailored_hot_noecs_ns", "declined_port_ns"),
        ("OPT read and written", "tailored_hot_edns_ns", "tailored_hot_noecs_ns"),
        ("ECS read, placed and written", "tailored_hot_ns", "tailored_hot_edns_ns"),
        ("a cookie read, checked and written", "tailored_hot_cookie_ns", "tailored_hot_edns_ns"),
        ("1,000 names instead of one", "tailored_names_ns", "tailored_hot_ns"),
        ("10,000 clients instead of one", "tailored_clients_ns", "tailored_hot_ns"),
    ]
    for text, more, less in parts:
        if more in figures and less in figures:
            say(f"{figures[more] - figures[less]:+6.0f} ns  {text}")
