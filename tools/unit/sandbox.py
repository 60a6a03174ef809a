"""The unit's sandbox without systemd: installed files, mount namespace, user, capabilities and system calls."""
import json
import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from child import end
from console import Failure, waiting
from lab import SERVER, SERVER_LINK, Lab
from unitfile import Unit

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Debian's own interpreter: that of the environment may lie where the daemon's user cannot read.
PYTHON = "/usr/bin/python3"
UNIT = "usr/local/lib/systemd/system/nearcastd{}.service"

CONFIGURATION = """
listen: ["{v4}:53", "[{v6}]:53"]
watch: false
fast_path: {{interfaces: [{link}], mode: native, on_exit: detach}}
health: {{interval: 500ms, checks: [{{type: icmp}}]}}
rtt: {{node: fra1, ports: [443]}}
nodes:
  - {{id: fra1, addresses: [{client}], location: {{latitude: 50.11, longitude: 8.68}}}}
pools: [{{id: web, nodes: [fra1]}}]
policies: [{{id: nearest, ttl: {{min: 10, max: 60}}}}]
zones: [{{origin: example.com, file: zones/example.com.zone}}]
tailored: [{{name: www.example.com, pool: web, policy: nearest}}]
"""


class Sandbox:
    """While a `with` block runs. `without`: a capability that is left out; `drop`: a setting of the unit that is."""

    def __init__(self, lab: Lab, binaries: Path, database: Path, without: str, drop: str):
        self.lab, self.binaries, self.database = lab, binaries, database
        self.without, self.drop = without.removeprefix("CAP_").lower(), drop
        self.folder = Path(tempfile.mkdtemp(prefix="nearcast-unit-"))
        self.folder.chmod(0o755)
        self.tree = self.folder / "tree"
        self.holder: subprocess.Popen | None = None
        self.children: list[subprocess.Popen] = []

    def __enter__(self) -> "Sandbox":
        try:
            self._install()
            self._hold()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for child in [*self.children, *([self.holder] if self.holder else [])]:
            if child.poll() is None:
                end(child)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _install(self) -> None:
        environment = dict(os.environ, NEARCAST_BINARIES=str(self.binaries))
        with waiting("installing into a folder"):
            done = subprocess.run([ROOT / "packaging" / "install", self.tree, "/usr/local"], env=environment,
                                  capture_output=True, text=True)
        if done.returncode:
            raise Failure(done.stderr.strip())
        configuration = CONFIGURATION.format(v4=SERVER[4], v6=SERVER[6], link=SERVER_LINK, client="192.0.2.1")
        (self.tree / "etc/nearcast/nearcast.yaml").write_text(configuration)
        for name in ("", "@"):
            path = self.tree / UNIT.format(name)
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(line for line in lines if not self.drop or not line.startswith(f"{self.drop}=")))
        self.unit = Unit(self.tree / UNIT.format(""))
        self.successor = Unit(self.tree / UNIT.format("@"))
        # A machine may allow less than the unit asks for.
        self.descriptors = min(int(self.unit.one("LimitNOFILE")), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        (self.folder / "confine.json").write_text(json.dumps({
            "calls": self.unit.calls(), "umask": int(self.unit.one("UMask") or "022", 8),
            "deny_write_execute": self.unit.isOn("MemoryDenyWriteExecute")}))
        for name in ("confine.py", "probe.py"):
            shutil.copy(HERE / name, self.folder)

    def _hold(self) -> None:
        command = self.lab.command("srv", "unshare", "--mount", "--propagation", "private", PYTHON, HERE / "view.py",
                                   self.tree, self.tree / UNIT.format(""), self.database)
        self.holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True)
        if self.holder.stdout.readline() != "ready\n":
            raise Failure(f"the view was not made: {self.holder.stderr.read().strip()}")

    def inside(self, *command) -> list[str]:
        """A command line that runs in the view, as root."""
        return ["nsenter", f"--target={self.holder.pid}", "--mount", "--net", "--", *map(str, command)]

    def confined(self, *command) -> list[str]:
        """The same as the unit's user, with its capabilities and system calls."""
        capabilities = [name for name in self.unit.capabilities("AmbientCapabilities") if name != self.without]
        kept = ",".join(["-all", *(f"+{name}" for name in capabilities)])
        return self.inside("env", "-i", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "prlimit",
                           f"--nofile={self.descriptors}", "setpriv", f"--reuid={self.unit.one('User')}",
                           f"--regid={self.unit.one('Group')}", "--init-groups", "--no-new-privs", f"--bounding-set={kept}",
                           f"--inh-caps={kept}", f"--ambient-caps={kept}", PYTHON, self.folder / "confine.py",
                           self.folder / "confine.json", *command)

    def launch(self, unit: Unit, log: Path) -> subprocess.Popen:
        """The daemon's command line from the unit's ExecStart."""
        with log.open("wb") as file:
            child = subprocess.Popen(self.confined(*unit.one("ExecStart").split()), stdout=file, stderr=file,
                                     start_new_session=True)
        self.children.append(child)
        return child
