"""Runs the scripts of the conformance kit, each with a log, and reads their results from their output."""
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from console import Failure

SCRIPTS = ["random_zones.py", "peers.py", "compare_servers.py", "ecs_wire.py", "nearest_oracle.py", "mutate.py"]
_TALLY = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", re.MULTILINE)


@dataclass(frozen=True)
class Tally:
    """The counts of a check; `skipped` are cases that judge no server."""

    passed: int
    failed: int
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


class Kit:
    """`folder` holds the scripts, `logs` takes what they print; all run inside the namespace `cf`."""

    def __init__(self, folder: Path, logs: Path):
        if missing := [name for name in SCRIPTS if not (folder / name).exists()]:
            raise Failure(f"no conformance kit in {folder} ({', '.join(missing)} missing): name its folder by "
                          "CONFORMANCE_KIT=FOLDER or --kit FOLDER")
        self.folder, self.logs = folder, logs

    def run(self, script: str, *arguments, log: str, inside: bool = True, seconds: int = 3600) -> str:
        """What the script prints; it stands in the log too, before what it says on standard error."""
        command = [sys.executable, self.folder / script, *arguments]
        if inside:
            command = ["nsenter", "--net=/run/netns/cf", "--", *command]
        with open(self.logs / log, "a") as file:
            file.write(f"$ {' '.join(map(str, command))}\n")
            file.flush()
            try:
                done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, timeout=seconds, env=os.environ | {"LAB": str(self.logs)})
            except subprocess.TimeoutExpired as expired:
                file.write((expired.stdout or b"").decode(errors="replace"))
                raise Failure(f"{script} did not end within {seconds} s (log: {self.logs / log})") from None
            file.write(done.stdout)
        return done.stdout

    def tally(self, script: str, *arguments, log: str, seconds: int = 3600) -> Tally:
        """Of a script that ends with `P passed, F failed`."""
        found = _TALLY.findall(text := self.run(script, *arguments, log=log, seconds=seconds))
        if not found:
            end = "".join(f"\n    | {line}" for line in text.splitlines()[-6:])
            raise Failure(f"{script} printed no result (log: {self.logs / log}){end}")
        return Tally(*(int(number or 0) for number in found[-1]))
