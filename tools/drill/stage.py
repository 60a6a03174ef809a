"""The daemon under test: it is killed, restarted and replaced, always with the same configuration and folder."""
import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from console import Failure
from lab import Lab
from oracle import Node
from server import NAME, START_LIMIT_S, Server, Service

MAXIMA = (60, 61)


class Stage(Server):
    """Keeps the program at its exit, and has a life after each death. Nothing is done at the end but to stop it."""

    def __init__(self, lab: Lab, binaries: Path, database: Path, nodes: list[Node]):
        super().__init__(lab, binaries, database, nodes, Service())
        self.config.write_text("watch: false\n" + self.config.read_text().replace("on_exit: detach", "on_exit: keep"))
        self.text = self.config.read_text()
        self.starts = 0

    def launch(self, *arguments: str, binaries: Path | None = None) -> subprocess.Popen:
        """Another process of this daemon, which becomes the one that `kill`, `stop` and `await_ready` mean."""
        self.starts += 1
        self.log = self.folder / f"nearcastd-{self.starts}.log"
        command = self.lab.command(self.side, (binaries or self.binaries) / "nearcastd", "--config", self.config,
                                   *arguments)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        # The load takes a core for itself: as a machine of its own would, this one lets the daemon start.
        with contextlib.suppress(OSError):
            Path(f"/proc/{self.process.pid}/autogroup").write_text("-20")
        return self.process

    def await_ready(self) -> float:
        """Seconds until the last daemon started was ready."""
        began = time.monotonic()
        self.await_line("message=ready ")
        seconds = time.monotonic() - began
        # The line comes before the control socket.
        self.await_control()
        return seconds

    def await_line(self, text: str) -> None:
        """Until the last one launched logged that."""
        began = time.monotonic()
        while text not in self.log.read_text(errors="replace"):
            if self.process.poll() is not None:
                raise self.failure(f"nearcastd ended with status {self.process.returncode} before it logged {text!r}")
            if time.monotonic() - began > START_LIMIT_S:
                raise self.failure(f"nearcastd did not log {text!r} within {START_LIMIT_S} s")
            time.sleep(0.01)

    def await_control(self) -> None:
        began = time.monotonic()
        while subprocess.run(self.command_line("status"), capture_output=True).returncode:
            if time.monotonic() - began > START_LIMIT_S:
                raise self.failure("nothing answers at the control socket")
            time.sleep(0.05)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def rewrite(self, variant: int, further_names: int = 0, moved: bool = False) -> None:
        """Another configuration, of which the witnesses' answers tell `variant`. `further_names` beyond an eighth of
        those there are make the daemon load a program with larger tables; `moved` makes another location table."""
        text = self.text.replace(f"max: {MAXIMA[0]}", f"max: {MAXIMA[variant]}")
        text += "".join(f"  - {{name: n{number}.example.com, pool: world, policy: judged}}\n"
                        for number in range(further_names))
        if moved:
            override = "overrides: [{prefix: 203.0.113.0/24, latitude: 1, longitude: 2}]"
            text = text.replace("geo: {", "geo: {" + override + ", ")
        self.config.write_text(text)

    def reload(self) -> subprocess.Popen:
        return subprocess.Popen(self.command_line("reload"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def detach(self) -> str:
        """The output of `nearcast detach` without a daemon."""
        done = subprocess.run(self.command_line("detach"), capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"`nearcast detach` failed: {done.stderr.strip()}")
        return done.stdout
