"""What the daemon does and cannot do in its sandbox, step by step."""
import json
import re
import signal
import subprocess
import time
from pathlib import Path

import wire
from asking import ask
from console import Failure, say
from lab import Lab
from sandbox import PYTHON, Sandbox

START_LIMIT_S, STOP_LIMIT_S, PATIENCE_S = 120, 60, 15
CHECKED_S = 2
# Before its nodes were asked for the first time.
EXPECTED = "no node of the pool is usable"
NAME = "www.example.com"


class Trial:
    def __init__(self, lab: Lab, sandbox: Sandbox):
        self.lab, self.sandbox = lab, sandbox
        self.failures: list[str] = []
        self.logs: list[Path] = []

    def check(self, what: str, holds: bool, otherwise: str = "") -> None:
        say(f"{'ok    ' if holds else 'FAILED'} {what}{'' if holds or not otherwise else ': ' + otherwise}")
        if not holds:
            self.failures.append(what)

    # MARK: daemons

    def start(self, unit) -> subprocess.Popen:
        log = self.sandbox.folder / f"nearcastd-{len(self.logs)}.log"
        self.logs.append(log)
        child, began = self.sandbox.launch(unit, log), time.monotonic()
        while "message=ready " not in log.read_text(errors="replace"):
            if child.poll() is not None or time.monotonic() - began > START_LIMIT_S:
                raise Failure(f"the daemon did not start:\n{self.tail()}")
            time.sleep(0.05)
        self.await_status(child.pid)
        return child

    def tail(self) -> str:
        return "\n".join(f"    | {line}" for line in self.logs[-1].read_text(errors="replace").splitlines()[-12:])

    def command(self, *arguments: str) -> subprocess.CompletedProcess:
        """`nearcast …` of somebody who has no right but to be in the group."""
        return subprocess.run(self.sandbox.inside("setpriv", "--reuid=nobody", "--regid=nearcast", "--clear-groups",
                                                  "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs",
                                                  "/usr/local/bin/nearcast", *arguments), capture_output=True, text=True)

    def status(self) -> dict:
        done = self.command("status", "--json")
        if done.returncode:
            raise Failure(f"`nearcast status` failed: {done.stderr.strip()}\n{self.tail()}")
        return json.loads(done.stdout)

    def await_status(self, pid: int) -> None:
        """Until that process answers at the control socket."""
        began = time.monotonic()
        while True:
            try:
                if self.status()["pid"] == pid:
                    return
            except Failure:
                pass
            if time.monotonic() - began > PATIENCE_S:
                raise Failure(f"process {pid} does not answer at the control socket\n{self.tail()}")
            time.sleep(0.1)

    def answered(self) -> int:
        return int(self.status()["counters"]["fastPath"].get("answered", 0))

    def asks(self, when: str) -> None:
        before = self.answered()
        with self.lab.client_socket(4) as client:
            reply = wire.parse(ask(client, wire.query(7, NAME, wire.A)))
        self.check(f"answers a query from the driver{when and ' ' + when}", reply.addresses == ["192.0.2.1"] and self.answered() > before,
                   f"{reply}")

    # MARK: steps

    def run(self) -> list[str]:
        first = self.start(self.sandbox.unit)
        state = self.status()
        links = state["fastPath"]
        self.check("a member of the group asks for the status", state["pid"] == first.pid)
        self.check("attaches in the driver", [link["mode"] for link in links] == ["native"], f"{links}")
        self.asks("")
        self.icmp()
        self.learns()
        self.reload(first)
        self.writes()
        self.files()
        second = self.start(self.sandbox.successor)
        self.check("hands over to a second instance, and ends", self.ends(first) == 0, self.tail())
        self.asks("of the second instance")
        second.send_signal(signal.SIGTERM)
        self.check("stops", self.ends(second) == 0, self.tail())
        left = subprocess.run(self.sandbox.inside("ls", "-A", "/sys/fs/bpf/nearcast"), capture_output=True, text=True).stdout.split()
        self.check("leaves no pins", not left, f"{left}")
        wrong = [line for log in self.logs for line in log.read_text(errors="replace").splitlines()
                 if re.search(r"level=(error|critical) ", line) and EXPECTED not in line]
        self.check("logs no error", not wrong, "\n".join(wrong))
        return self.failures

    def ends(self, child: subprocess.Popen) -> int | None:
        try:
            return child.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            return None

    def icmp(self) -> None:
        time.sleep(CHECKED_S)
        shown = self.command("node", "show", "fra1").stdout
        self.check("asks a node by ICMP", bool(re.search(r"0 of 3 +answered", shown)), shown)

    def learns(self) -> None:
        text = self.logs[0].read_text(errors="replace")
        self.check("looks at TCP's round-trip times", "learning round-trip times" in text and "rtt" in text)

    def reload(self, daemon: subprocess.Popen) -> None:
        epoch = self.status()["epoch"]
        path = "/etc/nearcast/nearcast.yaml"
        # The tool writes from outside, where the view's files are writable.
        subprocess.run(["nsenter", f"--target={self.sandbox.holder.pid}", "--mount", "sh", "-c",
                        f"mount -o remount,bind,rw /etc && sed -i 's/max: 60/max: 61/' {path}; mount -o remount,bind,ro /etc"],
                       check=True)
        daemon.send_signal(signal.SIGHUP)
        began = time.monotonic()
        while self.status()["epoch"] == epoch and time.monotonic() - began < PATIENCE_S:
            time.sleep(0.1)
        self.check("reloads at SIGHUP", self.status()["epoch"] > epoch, self.tail())
        self.asks("after the reload")

    def writes(self) -> None:
        """What the daemon's user, capabilities and all, can write."""
        done = subprocess.run(self.sandbox.confined(PYTHON, self.sandbox.folder / "probe.py"), capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"the probe failed: {done.stderr.strip()}")
        found = json.loads(done.stdout)
        for what, where in found.items():
            self.check(f"cannot write {what}", not where, " ".join(where[:10]))

    def files(self) -> None:
        """Modes of what the daemon made."""
        done = subprocess.run(self.sandbox.inside("find", "/run/nearcast", "/var/lib/nearcast", "-printf", "%m %u %y %p\\n"),
                              capture_output=True, text=True, check=True)
        modes = {"d": "750", "f": "600", "s": "660"}
        wrong = [line for line in done.stdout.splitlines() if (words := line.split())[0] != modes[words[2]]
                 and not words[3].endswith("city.mmdb")]
        self.check("its files are 0600, its folders 0750, its socket 0660", not wrong, "; ".join(wrong))
