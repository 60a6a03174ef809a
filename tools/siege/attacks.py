"""The attacks: programs that run at the same time as honest clients, each with a limited rate."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import frames
from background import Background
from console import Failure
from field import CHARGEN, Field, socket_in
from lab import SERVER
from napi import CLIENT_LINK
from watch import cpu_s

SOURCES = Path(__file__).resolve().parent / "c"
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast")) / "siege"
NICE = 5
PATIENCE_S = 20
FORGED_RATE, ODD_RATE = 20_000, 2_000
# Of ten thousand connections; opened again no faster than this, each kind.
OPENED_A_SECOND = 60
QUERY_MS, HEAD_MS = 700, 40
REPORTS = 8453
# A rate below this part of the one asked for was not reached.
REACHED = 0.9


def build() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    for source in SOURCES.glob("*.c"):
        output = CACHE / source.stem
        if output.exists() and output.stat().st_mtime > source.stat().st_mtime:
            continue
        done = subprocess.run(["cc", "-O2", "-Wall", str(source), "-o", str(output)], capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"cannot compile {source.name}:\n{done.stderr}")


@dataclass
class Attack:
    """`rate` is what it is to send a second, `count` how many connections it wants to have; `tally` is there behind it."""

    name: str
    command: list[str]
    rate: int = 0
    count: int = 0
    process: subprocess.Popen | None = None
    tally: dict = field(default_factory=dict)

    def told(self) -> str:
        if not self.tally:
            return f"{self.name}: ended early"
        if self.rate:
            return f"{self.name}: {self.tally['sent'] / self.tally['seconds']:,.0f} a second"
        return (f"{self.name}: {self.tally['standing']:,.0f} of {self.count:,} stood on average, {self.tally['opened']:,} were opened, "
                f"{self.tally['closed']:,} closed")

    @property
    def fell_short(self) -> bool:
        return bool(self.rate) and (not self.tally or self.tally["sent"] < REACHED * self.rate * self.tally["seconds"])


class Attacks:
    """All of them, while a `with` block runs. `cpu`: seconds that they took."""

    def __init__(self, field: Field, folder: Path, dice, question: bytes, seconds: int):
        self.field, self.folder, self.seconds, self.cpu = field, folder, seconds, 0.0
        self.all = [self._hail("forged sources", frames.forged(dice, question), FORGED_RATE),
                    self._hail("odd frames", frames.odd(dice, question), ODD_RATE), *self._crowds(question)]

    def _hail(self, name: str, made: list[bytes], rate: int) -> Attack:
        path = frames.write(made, self.folder / f"{name.replace(' ', '-')}.frames")
        command = self.field.command(self.field.router, "nice", "-n", NICE, CACHE / "hail", path, CLIENT_LINK, rate, self.seconds)
        return Attack(name, command, rate=rate)

    def _text(self, name: str, text: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(text)
        return path

    def _crowds(self, question: bytes) -> list[Attack]:
        query = self._text("query", len(question).to_bytes(2) + question)
        # A record of 512 bytes is announced, and a part of a ClientHello follows.
        hello = self._text("hello", bytes.fromhex("1603010200010001fc0303") + bytes(range(64)))
        head = self._text("head", b"POST /v1/nodes/r0/report HTTP/1.1\r\nHost: siege\r\n")
        # 200 KB a second of each connection: 2 MiB in the ten seconds that a request may take.
        more = self._text("more", b"X-More: " + b"a" * 8000 + b"\r\n")
        kinds = [("TCP, silent", 4, 53, 1500, "-", "-", 0), ("TCP, silent", 6, 53, 1500, "-", "-", 0),
                 ("TCP, a query each 0.7 s", 4, 53, 1500, query, query, QUERY_MS),
                 ("TCP, a query each 0.7 s", 6, 53, 1000, query, query, QUERY_MS),
                 ("TLS, silent", 4, 853, 1000, "-", "-", 0), ("TLS, silent", 6, 853, 500, "-", "-", 0),
                 ("TLS, half a ClientHello", 4, 853, 1000, hello, "-", 0),
                 ("TLS, half a ClientHello", 6, 853, 1000, hello, "-", 0),
                 ("reports, silent", 4, REPORTS, 940, "-", "-", 0),
                 ("reports, a head without an end", 4, REPORTS, 60, head, more, HEAD_MS)]
        return [self._crowd(*kind) for kind in kinds]

    def _crowd(self, name: str, version: int, port: int, count: int, first, repeated, period: int) -> Attack:
        command = self.field.command(self.field.hostile, "nice", "-n", NICE, CACHE / "crowd", version, SERVER[version], port, 0, 64,
                                     count, OPENED_A_SECOND, self.seconds, first, repeated, period)
        return Attack(f"{name}, IPv{version}", command, count=count)

    def __enter__(self) -> "Attacks":
        for attack in self.all:
            attack.process = subprocess.Popen(attack.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                              start_new_session=True)
            with contextlib.suppress(OSError):
                Path(f"/proc/{attack.process.pid}/autogroup").write_text(str(NICE))
        return self

    def __exit__(self, *_) -> None:
        for attack in self.all:
            if attack.process and attack.process.poll() is None:
                self.cpu += cpu_s(attack.process.pid)
                attack.process.send_signal(signal.SIGTERM)
        for attack in self.all:
            if attack.process is None:
                continue
            try:
                output, errors = attack.process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                attack.process.kill()
                attack.process.communicate()
                continue
            if not attack.process.returncode and output:
                attack.tally = json.loads(output)


class Chargen(Background):
    """RFC 864 over UDP on the server's own link: whatever comes to port 19 is answered, at most so often. One datagram each
    few seconds is what a forger would send; `rounds` counts what came back."""

    AT_MOST, SPARK_S = 5_000, 5

    def __init__(self, field: Field):
        super().__init__()
        self._field, self.rounds, self.sparks = field, 0, 0

    def run(self) -> None:
        with socket_in(self._field.router, socket.AF_INET, socket.SOCK_DGRAM) as peer:
            peer.bind((CHARGEN, 19))
            peer.settimeout(0.1)
            spark = 0.0
            while not self.stopping.is_set():
                if time.monotonic() >= spark:
                    spark = time.monotonic() + self.SPARK_S
                    self.sparks += 1
                    peer.sendto(frames.GARBAGE, (SERVER[4], 53))
                with contextlib.suppress(OSError):
                    _, sender = peer.recvfrom(4096)
                    self.rounds += 1
                    peer.sendto(frames.GARBAGE, sender)
                    time.sleep(1 / self.AT_MOST)


class Idlers(Background):
    """Connections to the control socket that say nothing, and are opened again when they are closed."""

    COUNT, PAUSE_S = 600, 0.02

    def __init__(self, path: Path):
        super().__init__()
        self._path, self.most, self.refused = path, 0, 0

    def run(self) -> None:
        idle: list[socket.socket] = []
        while not self.stopping.wait(self.PAUSE_S):
            if len(idle) == self.COUNT:
                # The oldest may have been closed.
                idle.append(idle.pop(0))
                with contextlib.suppress(BlockingIOError, OSError):
                    if not idle[-1].recv(1, socket.MSG_DONTWAIT):
                        idle.pop().close()
                continue
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(0.2)
            try:
                one.connect(str(self._path))
                idle.append(one)
            except OSError:
                self.refused += 1
                one.close()
            self.most = max(self.most, len(idle))
        for one in idle:
            one.close()
