"""Floods that are not there to be answered: what becomes of them, of the daemon, and of those who ask beside them."""
import ipaddress
import json
import statistics
import subprocess
import time

import native
import wire
from asking import ask
from background import Background
from child import end
from console import Failure, waiting
from figures import Figure
from lab import Lab
from napi import CLIENT_CPU, CLIENT_LINK, Pair
from server import NAME, Server
from tables import Usage
from workload import Workload, single

SECONDS = 10
HEAD_START_S = 0.5
PATIENCE_S = 15
# Of the subdomain flood, in flight at most: the ring of a veth holds 256 frames, and drops what comes beyond.
WINDOW = 128
# The spoofed flood does not wait for anybody; not all of its sources can be answered.
RATE = 300_000
OPEN_WINDOW = 1 << 30
# c/flood.h
VARIES_LABEL, VARIES_SOURCE = 1, 2
# In Frankfurt am Main, where a node is.
LEGITIMATE = ipaddress.ip_network("89.245.124.0/24")
FIRST_PORT = 1200
PAUSE_S = 0.001
# Counters that are no verdict on a query for the server.
OTHERS = {"pass_other", "grew_tail", "grew_head", "all_down", "static", "records", "rate_would_drop", "rate_would_slip",
          "pass_would_drop"}


class Client(Background):
    """Asks one query after the other while a `with` block runs, and notes how long each took."""

    def __init__(self, lab: Lab, port: int):
        super().__init__()
        self.socket = lab.client_socket(4, source_port=port)
        self.seconds: list[float] = []
        self.lost = 0

    def __exit__(self, *_) -> None:
        super().__exit__()
        self.socket.close()

    def run(self) -> None:
        number = 0
        while not self.stopping.wait(PAUSE_S):
            number = number % 0xFFFF + 1
            question = wire.query(number, NAME, wire.A, LEGITIMATE)
            began = time.monotonic()
            try:
                ask(self.socket, question)
                self.seconds.append(time.monotonic() - began)
            except OSError:
                self.lost += 1

    @property
    def asked(self) -> int:
        return len(self.seconds) + self.lost

    def latency(self) -> str:
        """Median and 99th percentile, in microseconds."""
        ordered = sorted(self.seconds)
        if not ordered:
            raise Failure("no legitimate query was answered")
        return f"{statistics.median(ordered) * 1e6:.0f} and {ordered[len(ordered) * 99 // 100] * 1e6:.0f} µs"


class _Flood:
    """A flood while a `with` block runs; `tally` is there behind it."""

    def __init__(self, lab: Lab, files, window: int, gap_ns: int, varies: int):
        self.command = lab.command("cli", native.tool("flood"), native.program("flood"), *files, CLIENT_LINK,
                                   SECONDS + 1, window, CLIENT_CPU, gap_ns, varies)
        self.tally: dict = {}

    def __enter__(self) -> "_Flood":
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(HEAD_START_S)
        return self

    def __exit__(self, kind, *_) -> None:
        if kind:
            return end(self.process)
        output, errors = self.process.communicate(timeout=SECONDS + PATIENCE_S)
        if self.process.returncode:
            raise Failure(errors.strip())
        self.tally = json.loads(output)


def _queries(server: Server) -> dict[str, int]:
    """Verdicts on queries for the server, so far."""
    counters = server.ask("status")["counters"]["fastPath"]
    return {name: int(count) for name, count in counters.items() if name not in OTHERS}


def _since(server: Server, before: dict[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in _queries(server).items()
            if count > before.get(name, 0)}


def _told(verdicts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(verdicts.items(), key=lambda item: -item[1]))


def _subdomains(lab: Lab, server: Server, folder) -> list[Figure]:
    """Names below a served zone, each other than all before, with EDNS as resolvers send them."""
    files = single(wire.query(7, "xxxxxxxxxxxx.example.com", wire.A)).write(folder)
    with waiting(f"{SECONDS} s without a flood"), Client(lab, FIRST_PORT) as calm:
        time.sleep(SECONDS)
    before = _queries(server)
    with waiting(f"{SECONDS} s of random subdomains"), _Flood(lab, files, WINDOW, 0, VARIES_LABEL) as flood:
        with Client(lab, FIRST_PORT + 1) as beside:
            time.sleep(SECONDS - HEAD_START_S)
    seen = _since(server, before)
    total = sum(seen.values())
    if total < flood.tally["sent"] / 2:
        raise Failure(f"the program saw {total:,} of {flood.tally['sent']:,} queries")
    rate = f"{flood.tally['sent'] / flood.tally['seconds']:,.0f} queries a second"
    return [
        Figure.of("flood_subdomain_xdp_share", [seen.get("answered", 0) / total], "of queries",
                  f"{rate}, {flood.tally['replies']:,} of {flood.tally['sent']:,} replied to; {_told(seen)}", digits=5),
        Figure.of("flood_legit_loss", [beside.lost / max(1, beside.asked)], "of queries",
                  f"{beside.lost} of {beside.asked:,}, and {calm.lost} of {calm.asked:,} before; median and 99th percentile "
                  f"{beside.latency()}, before {calm.latency()}", digits=5),
    ]


def _spoofed(lab: Lab, server: Server, load: Workload, folder) -> list[Figure]:
    """Queries that are right, from every IPv4 address there is."""
    files = load.write(folder)
    verdicts, start = _queries(server), Usage.of(server.process.pid)
    began = time.monotonic()
    with waiting(f"{SECONDS} s from all addresses"):
        with _Flood(lab, files, OPEN_WINDOW, 1_000_000_000 // RATE, VARIES_SOURCE) as flood:
            pass
    usage, spent = Usage.of(server.process.pid), time.monotonic() - began
    seen = _since(server, verdicts)
    rate = f"{flood.tally['sent'] / flood.tally['seconds']:,.0f} queries a second"
    return [
        Figure.of("flood_spoofed_cpu", [(usage.cpu - start.cpu) / spent], "of a CPU",
                  f"of user space, at {rate}; {_told(seen)}", digits=4),
        Figure.of("flood_spoofed_mib", [usage.memory - start.memory], "MiB",
                  f"more than the {start.memory:.0f} MiB before, the process's own and the maps"),
    ]


def measure(lab: Lab, server: Server, load: Workload, folder) -> list[Figure]:
    """`load`: what the spoofed flood asks."""
    with Pair(lab):
        return _subdomains(lab, server, folder) + _spoofed(lab, server, load, folder)
