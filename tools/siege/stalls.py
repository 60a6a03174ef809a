"""Detects stalls of a processor: wakes every 5 ms at the highest priority, and records when it was late.

usage: stalls.py CPU; prints `ready`, ends with its input, and prints the stalls as JSON: when each began and ended (seconds of monotonic time),
and how much of it the hypervisor owns up to. What another program does in the kernel without a pause counts too, as loading a program does."""
import json
import os
import select
import sys
import time
from pathlib import Path

TICK_S, STALL_S, LOOK_S = 0.005, 0.02, 0.1
PRIORITY = 99


def stolen(cpu: int) -> float:
    line = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith(f"cpu{cpu} "))
    return int(line.split()[8]) / os.sysconf("SC_CLK_TCK")


def main(cpu: int) -> None:
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    print("ready", flush=True)
    stalls, last = [], time.monotonic()
    looked, before = last, stolen(cpu)
    while not select.select([sys.stdin], [], [], TICK_S)[0]:
        now = time.monotonic()
        if now - last > STALL_S:
            after = stolen(cpu)
            stalls.append([last, now, round(after - before, 3)])
            looked, before = now, after
        elif now - looked > LOOK_S:
            looked, before = now, stolen(cpu)
        last = now
    print(json.dumps(stalls))


if __name__ == "__main__":
    main(int(sys.argv[1]))
