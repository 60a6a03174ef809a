"""Load by dnsperf from the client side: answers per second, latency, and the path that answered."""
import re
import subprocess
from pathlib import Path

import wire
from console import Failure, say, waiting
from lab import SERVER, Lab
from server import NAME, Server
from survey import Client

LATENCY_RATE = 5000
LATENCY_SECONDS = 2


def _dnsperf(lab: Lab, queries: Path, client: Client, seconds: int, *more: str) -> subprocess.Popen:
    """One dnsperf, speaking for one client: by ECS, or from its own address."""
    who = ["-E", f"{wire.ECS}:{wire.encode_ecs(client.prefix).hex()}"] if client.by_ecs else [
        "-a", str(client.prefix.network_address), "-e",
    ]
    command = ["dnsperf", "-s", SERVER[client.version], "-d", queries, "-l", seconds, "-t", "1", *who, *more]
    return subprocess.Popen(lab.command("cli", *command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _outputs(running: list[subprocess.Popen]) -> list[str]:
    """What they print, once they have ended; none outlives an interruption."""
    try:
        return [process.communicate()[0] for process in running]
    finally:
        for process in running:
            process.kill()


def _figure(output: str, label: str) -> float:
    found = re.search(rf"{label}:\s+([0-9.]+)", output)
    if not found:
        raise Failure(f"dnsperf printed no '{label}':\n{output[-1000:]}")
    return float(found[1])


def _percentiles(output: str) -> tuple[float, float, int]:
    """Median and 99th percentile in microseconds, from dnsperf -v's line for each reply."""
    times = sorted(float(line.split()[-1]) for line in output.splitlines() if line.startswith("> NOERROR"))
    if not times:
        raise Failure(f"dnsperf -v printed no answered query:\n{output[-1000:]}")
    return times[len(times) // 2] * 1e6, times[len(times) * 99 // 100] * 1e6, len(times)


def load(lab: Lab, server: Server, clients: list[Client], seconds: int) -> float:
    """As fast as one dnsperf a client can, then paced for the latency; returns the share answered in XDP."""
    queries = server.folder / "queries"
    queries.write_text(f"{NAME} A\n{NAME} AAAA\n")
    before = server.fast_path_answers()
    with waiting(f"dnsperf for {seconds} s, {' and '.join(client.label for client in clients)}"):
        outputs = _outputs([_dnsperf(lab, queries, client, seconds, "-c", "4") for client in clients])
    answered = sum(_figure(output, "Queries completed") for output in outputs)
    lost = sum(_figure(output, "Queries lost") for output in outputs)
    rate = sum(_figure(output, "Queries per second") for output in outputs)
    in_xdp = server.fast_path_answers() - before
    # A reply may come after the timeout of its query: the share is at most the whole.
    share = min(1.0, in_xdp / (answered + lost)) if answered else 0.0
    with waiting(f"dnsperf for {LATENCY_SECONDS} s at {LATENCY_RATE:,} queries a second, for the latency"):
        pace = ["-Q", str(LATENCY_RATE), "-v"]
        paced = _outputs([_dnsperf(lab, queries, clients[0], LATENCY_SECONDS, *pace)])[0]
    median, tail, samples = _percentiles(paced)
    say(f"{rate:,.0f} answers a second ({len(clients)} × dnsperf, closed loop), {int(lost)} of {answered + lost:,.0f} lost")
    say(f"latency p50 {median:.0f} µs, p99 {tail:.0f} µs ({samples:,} queries, paced)")
    say(f"{share:.2%} answered in XDP")
    return share
