"""Watches the daemon during the attacks: memory, descriptors, the control socket, and the detection of failed nodes."""
import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from background import Background
from child import end
from console import Failure
from control import Control
from field import NODES, Field
from server import Server

# Of the checked nodes: seconds, and results in a row.
INTERVAL_S, TIMEOUT_S, FALL, RISE = 0.5, 0.4, 2, 1
SLACK_S = 1.0
# Half an interval more than the last probe's end at its latest; on the way back with all damping there is.
DOWN_S = (FALL + 0.5) * INTERVAL_S + TIMEOUT_S + SLACK_S
UP_S = 1.05 * (8 * RISE + 1) * INTERVAL_S + TIMEOUT_S + SLACK_S
CHECKED, HOSTILE, REPORTER = [f"c{number}" for number in range(6)], "hostile", "r0"
STATUS_S, LOOK_S = 1.0, 0.1


def address(id: str) -> str:
    return f"{NODES}.{66 if id == HOSTILE else 1 + CHECKED.index(id)}"


def resident_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def cpu_s(pid: int) -> float:
    times = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Machine:
    """Seconds of all processors since the machine's start: idle, taken by the hypervisor, in the kernel's soft interrupts, and all."""

    idle: float
    steal: float
    interrupts: float
    total: float

    @staticmethod
    def now() -> "Machine":
        values = [int(word) / os.sysconf("SC_CLK_TCK") for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return Machine(values[3] + values[4], values[7], values[6], sum(values))

    def since(self, earlier: "Machine") -> "Machine":
        """As parts of the time that passed."""
        total = max(self.total - earlier.total, 1e-9)
        parts = (getattr(self, name) - getattr(earlier, name) for name in ("idle", "steal", "interrupts"))
        return Machine(*(part / total for part in parts), total)


class Body(Background):
    """The daemon's memory (MiB) and descriptors: the most of them, and the memory and seconds of CPU last seen."""

    def __init__(self, pid: int):
        super().__init__()
        self.pid, self.memory, self.descriptors = pid, resident_mib(pid), 0
        self.now, self.cpu = self.memory, cpu_s(pid)

    def run(self) -> None:
        # A process that has ended has neither.
        with contextlib.suppress(OSError, StopIteration):
            while not self.stopping.wait(LOOK_S):
                self.now = resident_mib(self.pid)
                self.cpu = cpu_s(self.pid)
                self.memory = max(self.memory, self.now)
                self.descriptors = max(self.descriptors, len(os.listdir(f"/proc/{self.pid}/fd")))


class Status(Background):
    """`nearcast status`, every few seconds. `late`: those that took too long or failed."""

    PAUSE_S = 3.0

    def __init__(self, server: Server):
        super().__init__()
        self._command = ["nice", "-n", "-5", *server.command_line("status")]
        self.seconds: list[float] = []
        self.late: list[str] = []

    def run(self) -> None:
        while not self.stopping.wait(self.PAUSE_S):
            began = time.monotonic()
            try:
                done = subprocess.run(self._command, capture_output=True, text=True, timeout=10)
                problem = done.stderr.strip() if done.returncode else ""
            except subprocess.TimeoutExpired:
                problem = "no answer"
            self.seconds.append(time.monotonic() - began)
            if problem or self.seconds[-1] > STATUS_S:
                self.late.append(f"{self.seconds[-1]:.2f} s {problem}".strip())


class Nodes(Background):
    """Takes a node's server down and brings it back, one after the other, and notes when the daemon knows. `missed`: when it did not
    in time."""

    def __init__(self, field: Field, server: Server, dice):
        super().__init__()
        self._dice, self._server = dice, server
        command = field.command(field.honest, "nice", "-n", "-5", "/usr/bin/python3", Path(__file__).parent / "nodes.py", address(HOSTILE),
                                *map(address, CHECKED))
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if self._process.stdout.readline() != "ready\n":
            raise Failure("the nodes' servers did not start")
        self.took: dict[str, list[float]] = {"down": [], "up": []}
        self.missed: list[str] = []
        self.unanswered = 0

    def close(self) -> None:
        end(self._process)

    def states(self) -> dict[str, str]:
        """As the daemon reports; None if it does not answer."""
        try:
            with Control(self._server.socket) as control:
                listed = control.get("/v1/nodes")
        except (OSError, Failure, ValueError):
            self.unanswered += 1
            return {}
        return {node["id"]: node["state"] for node in listed}

    def await_up(self, seconds: float = 30) -> None:
        """Until all that answer are up, before anything else begins."""
        until = time.monotonic() + seconds
        while (states := self.states()) and any(states.get(id) != "up" for id in CHECKED):
            if time.monotonic() > until:
                raise self._server.failure(f"the nodes did not come up: {states}")
            time.sleep(LOOK_S)

    def run(self) -> None:
        while not self.stopping.is_set():
            id = self._dice.choice(CHECKED)
            self._turn(id, "down", DOWN_S)
            self._turn(id, "up", UP_S)
            self.stopping.wait(self._dice.uniform(0.2, 1))

    def _turn(self, id: str, state: str, limit: float) -> None:
        line = f"{address(id)} {state}\n"
        self._process.stdin.write(line)
        self._process.stdin.flush()
        if self._process.stdout.readline() != line:
            self.missed.append(f"{id}: its server did not change its state")
            return
        began = time.monotonic()
        while self.states().get(id) != state:
            if time.monotonic() - began > limit:
                self.missed.append(f"{id} {state} was not noticed within {limit:.1f} s")
                return
            time.sleep(LOOK_S)
        self.took[state].append(time.monotonic() - began)
