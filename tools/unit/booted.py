"""Runs the units under a real systemd in namespaces: start, credentials, reload, takeover by the template, stop."""
import json
import socket
import ssl
import subprocess
import time
from pathlib import Path

import wire
from asking import ask
from child import end
from console import Failure, say
from lab import SERVER, Lab
from sandbox import HERE, Sandbox

LOG = "/run/nearcast-trial.log"
WATCHDOG_S = 4
DROP_IN = f"""[Service]
LoadCredential=tls.crt:/etc/nearcast-secret/tls.crt
LoadCredential=tls.key:/etc/nearcast-secret/tls.key
ExecStartPre=/bin/ln -sfn %d /run/nearcast/credentials
ExecStartPre=/usr/bin/python3 /usr/local/lib/nearcast/probe.py
LimitNOFILE={{descriptors}}
WatchdogSec={WATCHDOG_S}
StandardOutput=append:{LOG}
StandardError=append:{LOG}
"""
TLS = "tls: {{listen: [{address}], certificate: /run/nearcast/credentials/tls.crt, key: /run/nearcast/credentials/tls.key}}\n"
BOOT_LIMIT_S, START_LIMIT_S, RELOAD_LIMIT_S = 30, 60, 15


class Booted(Sandbox):
    """The same installed tree as the sandbox's, with a systemd as process 1 instead of its holder."""

    def _hold(self) -> None:
        secret, library = self.tree / "etc/nearcast-secret", self.tree / "usr/local/lib/nearcast"
        secret.mkdir(mode=0o700)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=trial",
                        "-days", "2", "-keyout", secret / "tls.key", "-out", secret / "tls.crt"], check=True, capture_output=True)
        (library / "probe.py").write_text((HERE / "probe.py").read_text())
        with (self.tree / "etc/nearcast/nearcast.yaml").open("a") as file:
            file.write(TLS.format(address=SERVER[4]))
        for name in ("nearcastd", "nearcastd@"):
            folder = self.tree / f"etc/systemd/system/{name}.service.d"
            folder.mkdir(parents=True)
            (folder / "trial.conf").write_text(DROP_IN.format(descriptors=self.descriptors))
        work = self.folder / "work"
        work.mkdir()
        command = self.lab.command("srv", "unshare", "--pid", "--fork", "--kill-child", "--mount", "--cgroup", "--uts", "--ipc",
                                   "--propagation", "private", HERE / "boot", self.tree, self.database, work)
        self.holder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True)
        self.first = self._first()
        self.wait_for(["systemctl", "is-active", "basic.target"], BOOT_LIMIT_S, "systemd did not come up")

    def _first(self) -> int:
        """The process that is the first of its namespace."""
        children = Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children")
        began = time.monotonic()
        while time.monotonic() - began < BOOT_LIMIT_S:
            if self.holder.poll() is not None:
                raise Failure(f"systemd was not started: {self.holder.stderr.read().strip()}")
            found = children.read_text().split()
            if found and Path(f"/proc/{found[0]}/comm").read_text() == "systemd\n":
                return int(found[0])
            time.sleep(0.1)
        raise Failure("systemd did not start")

    def wait_for(self, command: list[str], seconds: float, otherwise: str) -> None:
        began = time.monotonic()
        while subprocess.run(self.inside(*command), capture_output=True).returncode:
            if time.monotonic() - began > seconds:
                raise Failure(f"{otherwise}\n{self.log()}")
            time.sleep(0.2)

    def inside(self, *command) -> list[str]:
        return ["nsenter", f"--target={self.first}", "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--net", "--", *map(str, command)]

    def output(self, *command) -> str:
        return subprocess.run(self.inside(*command), capture_output=True, text=True).stdout.strip()

    def log(self) -> str:
        return self.output("cat", LOG)

    def control(self, *arguments: str) -> None:
        done = subprocess.run(self.inside("systemctl", *arguments), capture_output=True, text=True)
        if done.returncode:
            state = self.output("systemctl", "status", "--no-pager", "--lines=20", *arguments[1:])
            raise Failure(f"systemctl {' '.join(arguments)}: {done.stderr.strip()}\n{state}\n{self.log()}")

    def start(self, unit: str) -> bool:
        """Starts a unit. Returns whether its daemon was ready when systemd took it for started."""
        before = self.log().count("message=ready ")
        self.control("start", unit)
        was_ready = self.log().count("message=ready ") > before
        self.wait_for(["sh", "-c", f"test $(grep -c 'message=ready ' {LOG}) -gt {before}"], START_LIMIT_S, f"{unit} was not ready")
        return was_ready

    def property(self, name: str, unit: str = "nearcastd") -> str:
        return self.output("systemctl", "show", "-p", name, "--value", unit)


class BootedTrial:
    def __init__(self, lab: Lab, system: Booted):
        self.lab, self.system = lab, system
        self.failures: list[str] = []

    def check(self, what: str, holds: bool, otherwise: str = "") -> None:
        say(f"{'ok    ' if holds else 'FAILED'} {what}{'' if holds or not otherwise else ': ' + otherwise}")
        if not holds:
            self.failures.append(what)

    def answers(self, when: str) -> None:
        with self.lab.client_socket(4) as client:
            reply = wire.parse(ask(client, wire.query(7, "www.example.com", wire.A)))
        self.check(f"answers over UDP{when}", reply.addresses == ["192.0.2.1"], f"{reply}")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        question = wire.query(8, "mail.example.com", wire.A)
        with self.lab.client_socket(4, port=853, kind=socket.SOCK_STREAM) as plain, context.wrap_socket(plain) as client:
            client.sendall(len(question).to_bytes(2) + question)
            self.check(f"answers over TLS{when}, with a key from LoadCredential", len(client.recv(4096)) > 2)

    def rights(self) -> None:
        pid = self.system.output("systemctl", "show", "-p", "MainPID", "--value", "nearcastd")
        fields = dict(line.split(":\t", 1) for line in self.system.output("cat", f"/proc/{pid}/status").splitlines() if ":\t" in line)
        # NET_BIND_SERVICE, NET_ADMIN, NET_RAW, PERFMON, BPF.
        self.check("has five capabilities and can get no other", {fields[f"Cap{set}"] for set in ("Prm", "Eff", "Bnd", "Amb")}
                   == {f"{1 << 10 | 1 << 12 | 1 << 13 | 1 << 38 | 1 << 39:016x}"} and fields["NoNewPrivs"] == "1", f"{fields}")
        self.check("is not root, and has a filter of system calls", "0" not in fields["Uid"].split() and fields["Seccomp"] == "2")

    def watchdog(self) -> None:
        """A daemon that hangs is restarted by systemd, and the driver answers meanwhile."""
        system, unit = self.system, "nearcastd@green"
        time.sleep(2 * WATCHDOG_S)
        self.check("stays alive for the watchdog", system.property("NRestarts", unit) == "0")
        before = system.log().count("message=ready ")
        system.output("kill", "-STOP", system.property("MainPID", unit))
        self.answers_in_driver(" while the daemon hangs")
        system.wait_for(["sh", "-c", f"test $(grep -c 'message=ready ' {LOG}) -gt {before}"], START_LIMIT_S, "a hung daemon was not restarted")
        self.check("a daemon that hangs is restarted", system.property("NRestarts", unit) == "1", system.property("NRestarts", unit))

    def answers_in_driver(self, when: str) -> None:
        with self.lab.client_socket(4) as client:
            reply = wire.parse(ask(client, wire.query(9, "www.example.com", wire.A)))
        self.check(f"answers over UDP{when}", reply.addresses == ["192.0.2.1"], f"{reply}")

    def refusal(self) -> None:
        """A configuration that has to be corrected is not tried again."""
        system = self.system
        system.output("sh", "-c", "echo 'nodes: [' >>/etc/nearcast/nearcast.yaml")
        done = subprocess.run(system.inside("systemctl", "start", "nearcastd"), capture_output=True, text=True)
        time.sleep(3)
        status, restarts = system.property("ExecMainStatus"), system.property("NRestarts")
        self.check("a configuration with an error fails with status 78, and is not tried again",
                   done.returncode != 0 and status == "78" and restarts == "0", f"{done.returncode} {status} {restarts}")

    def run(self) -> list[str]:
        system = self.system
        self.check("is started for systemd when it is ready", system.start("nearcastd"))
        self.check("shows a status line", "zone" in system.property("StatusText") and "fast path on" in system.property("StatusText"),
                   system.property("StatusText"))
        self.check("attaches in the driver", "attached natively" in system.log(), system.log())
        self.rights()
        self.answers("")
        system.control("reload", "nearcastd")
        system.wait_for(["grep", "-qE", "reload (applied|found no changes)", LOG], RELOAD_LIMIT_S, "the daemon did not reload")
        self.check("reloads", True)
        system.output("mkdir", "/sys/fs/bpf/other")
        system.start("nearcastd@green")
        system.wait_for(["sh", "-c", "systemctl show -p ActiveState --value nearcastd | grep -qE 'inactive|failed'"], START_LIMIT_S, "the predecessor did not end")
        self.check("hands over to nearcastd@green, and ends well", system.property("ActiveState") == "inactive",
                   system.property("ActiveState"))
        self.answers(" as the instance")
        found = json.loads(next(line for line in reversed(system.log().splitlines()) if line.startswith("{")))
        for what, where in found.items():
            self.check(f"cannot write {what}", not where, " ".join(where[:10]))
        self.watchdog()
        system.control("stop", "nearcastd@green")
        left = system.output("ls", "-A", "/sys/fs/bpf/nearcast").split()
        self.refusal()
        self.check("stops, and leaves no pins", not left, f"{left}")
        return self.failures
