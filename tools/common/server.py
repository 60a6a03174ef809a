"""nearcastd in the lab: its configuration, its life, and its command line."""
import json
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from console import Failure, say, waiting
from lab import SERVER, SERVER_LINK, Lab
from oracle import Node
from policy import Policy

HERE = Path(__file__).resolve().parent
PINS = Path("/sys/fs/bpf/nearcast")
NAME = "www.example.com"
START_LIMIT_S = 180
# Long enough for a machine that is busy otherwise.
STOP_LIMIT_S = 60


@dataclass(frozen=True)
class Service:
    """How a daemon serves: at this port of these addresses of a side of the lab, by this mode of the fast path, these
    tailored names with this policy, these zones (origin and file), and the checks of `health`."""

    port: int = 53
    mode: str = "native"
    names: tuple[str, ...] = (NAME,)
    zones: tuple[tuple[str, Path], ...] = (("example.com", HERE / "zones" / "example.com.zone"),)
    addresses: tuple[str, ...] = (SERVER[4], SERVER[6])
    side: str = "srv"
    policy: Policy = Policy()
    health: str = ""


def configuration(folder: Path, database: Path, nodes: list[Node], service: Service) -> str:
    """The whole of nearcast.yaml: the nodes, one pool of all, the tailored names."""
    hosts = [f"[{address}]" if ":" in address else address for address in service.addresses]
    listen = ", ".join(f'"{host}:{service.port}"' for host in hosts)
    fast_path = "mode: off" if service.mode == "off" else (
        f"interfaces: [{SERVER_LINK}], mode: {service.mode}, on_exit: detach"
    )
    lines = [
        f"listen: [{listen}]",
        f"control: {folder}/control.sock",
        f"state: {folder}",
        f"fast_path: {{{fast_path}}}",
        f"geo: {{database: {database}}}",
    ]
    if service.health:
        lines.append(f"health: {service.health}")
    lines.append("nodes:")
    for node in nodes:
        location = f"latitude: {node.latitude}, longitude: {node.longitude}"
        location += "".join(f", {key}: {value}" for key, value in
                            [("country", node.country), ("continent", node.continent)] if value)
        lines += [
            f"  - id: {node.id}  # {node.city}",
            f'    addresses: [{node.address(4)}, "{node.address(6)}"]',
            f"    location: {{{location}}}",
        ]
    lines += [
        "pools:",
        f"  - {{id: world, nodes: [{', '.join(map(service.policy.member, nodes))}]}}",
        "policies:",
        f"  - {{id: judged, {service.policy.settings()}, ttl: {{min: 10, max: 60}}}}",
        "zones:",
    ]
    lines += [f'  - {{origin: "{origin}", file: "{file}"}}' for origin, file in service.zones]
    lines.append("tailored:")
    lines += [f"  - {{name: {name}, pool: world, policy: judged}}" for name in service.names]
    return "\n".join(lines) + "\n"


class Server:
    """A running daemon, while a `with` block runs (longer when the lab is kept)."""

    def __init__(self, lab: Lab, binaries: Path, database: Path, nodes: list[Node], service: Service = Service()):
        self.lab = lab
        self.service = service
        self.side = service.side
        self.binaries = binaries
        for name in ("nearcastd", "nearcast"):
            if not (binaries / name).exists():
                raise Failure(f"{binaries / name} is missing: build it with `make build`")
        if service.mode != "off" and PINS.exists() and any(PINS.iterdir()):
            raise Failure(f"{PINS} is in use: stop the nearcastd that holds it (a kept demo printed how; else see "
                          "`pgrep -a nearcastd`), or remove what one left with `nearcast detach`")
        self.folder = Path(tempfile.mkdtemp(prefix="nearcast-lab-"))
        self.config = self.folder / "nearcast.yaml"
        self.config.write_text(configuration(self.folder, database, nodes, service))
        self.socket = self.folder / "control.sock"
        self.log = self.folder / "nearcastd.log"
        self.process: subprocess.Popen | None = None
        self.start_limit_s = START_LIMIT_S

    def __enter__(self) -> "Server":
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind, *_) -> None:
        if self.lab.keep:
            return
        failed = kind not in (None, KeyboardInterrupt, SystemExit)
        self.stop()
        if failed:
            say(f"the daemon's log and configuration are in {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self) -> None:
        command = self.lab.command(self.side, self.binaries / "nearcastd", "--config", self.config)
        self.began = began = time.monotonic()
        with self.log.open("wb") as log, waiting("starting nearcastd with the whole city database"):
            # A session of its own: Ctrl-C is for this program, which then stops the daemon itself.
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
            while "ready" not in self.log.read_text(errors="replace") or not self._listens():
                if self.process.poll() is not None:
                    raise self.failure(f"nearcastd ended with status {self.process.returncode} before it was ready")
                if time.monotonic() - began > self.start_limit_s:
                    raise self.failure(f"nearcastd was not ready after {self.start_limit_s} s")
                time.sleep(0.02)
        self.ready_after_s = time.monotonic() - began

    def _listens(self) -> bool:
        """Whether the control socket is open, which is a moment after the log says that clients are served."""
        try:
            return self.socket.stat().st_mode & 0o777 == 0o660
        except FileNotFoundError:
            return False

    def stop(self) -> None:
        """SIGTERM, and SIGKILL when it does not listen."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise self.failure(f"nearcastd did not stop within {STOP_LIMIT_S} s of SIGTERM") from None

    def failure(self, text: str) -> Failure:
        """An error that carries the end of the daemon's log."""
        tail = "".join(f"\n    | {line}" for line in self.log.read_text(errors="replace").splitlines()[-15:])
        return Failure(f"{text}\n  log: {self.log}\n  configuration: {self.config}{tail}")

    def command_line(self, *arguments: str, socket: Path | None = None) -> list[str]:
        """`nearcast …` as a user would type it; `socket` stands in for the daemon's own."""
        return [str(self.binaries / "nearcast"), *arguments, "--socket", str(socket or self.socket)]

    def ask(self, *arguments: str) -> dict:
        """Runs a nearcast command with --json and reads what it prints."""
        done = subprocess.run([*self.command_line(*arguments), "--json"], capture_output=True, text=True)
        if done.returncode:
            raise self.failure(f"`nearcast {' '.join(arguments)}` failed: {done.stderr.strip() or done.stdout.strip()}")
        try:
            return json.loads(done.stdout) if done.stdout.strip() else {}
        except ValueError:
            raise self.failure(f"`nearcast {' '.join(arguments)} --json` printed no JSON: {done.stdout[:200]!r}") from None

    def fast_path_answers(self) -> int:
        """Tailored answers transmitted by XDP since the start."""
        counters = self.ask("status")["counters"]["fastPath"]
        return int(counters.get("answered", 0))

    def mode(self) -> str:
        """How the fast path is attached, in words."""
        links = self.ask("status")["fastPath"]
        return ", ".join(
            f"{link['interface']}: {link['mode']}" + (f" ({link['reason']})" if link.get("reason") else "")
            for link in links
        )
