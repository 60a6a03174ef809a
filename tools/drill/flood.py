"""The benchmark's generator at a constant rate: counts queries sent and answers received."""
import contextlib
import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "bench"))

import native
import workload
from child import end
from console import Failure
from lab import Lab
from napi import CLIENT_CPU, CLIENT_LINK

# In flight at most; the ring of a veth holds 256 frames, and drops what comes beyond.
WINDOW = 128
# Ended by a signal long before.
SECONDS_AT_MOST = 900
HEAD_START_S = 0.5
PATIENCE_S = 15


@dataclass(frozen=True)
class Count:
    """Queries sent, answers without an error and with a record received, and seconds from first to last."""

    sent: int
    answers: int
    seconds: float

    @property
    def lost(self) -> int:
        return self.sent - self.answers

    @property
    def rate(self) -> float:
        return self.sent / self.seconds


class Flood:
    """Asks for tailored names with client subnets while a `with` block runs; `count` ends it. `rate` 0: as fast as it is
    answered. `stamp_at` and `watched` (the pinned words and a slot) are of c/flood.c; see stamps.py."""

    def __init__(self, lab: Lab, load: workload.Workload, folder: Path, rate: int, stamp_at: int = 0,
                 watched: tuple = ()):
        self.command = lab.command("cli", native.tool("flood"), native.program("flood"), *load.write(folder), CLIENT_LINK,
                                   SECONDS_AT_MOST, WINDOW, CLIENT_CPU, 1_000_000_000 // rate if rate else 0, 0, stamp_at, *watched)

    def __enter__(self) -> "Flood":
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True)
        # Before other work of the machine, where the scheduler groups by session.
        with contextlib.suppress(OSError):
            Path(f"/proc/{self.process.pid}/autogroup").write_text("-20")
        time.sleep(HEAD_START_S)
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            end(self.process)

    def count(self) -> Count:
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=PATIENCE_S)
        if self.process.returncode:
            raise Failure(errors.strip())
        tally = json.loads(output)
        return Count(tally["sent"], tally["answers"], tally["seconds"])
