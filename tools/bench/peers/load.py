"""Load on one server from one core: the most it answers, and how long answers take at a given rate."""
import random
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from console import Failure
from lab import SERVER_LINK, Lab
from servers import ADDRESSES, FAVOURED, SERVER_CPU, ZONE, label

CLIENT_LINK, CLIENT_CPU = "ncc0", 0
LOSS = 0.001
SECONDS = 2
QUERIES = 50_000
# In flight at most: what the socket's default receive buffer holds with room to spare.
WINDOWS = [200, 100, 50]
BISECTIONS = 5
# kxdpgun polls: in real time it would never let its own statistics be printed. Niceness counts only within a session
# where the scheduler groups by session, so the session's is set too.
NICE = ["setsid", "--wait", "sh", "-c", 'echo -20 >/proc/self/autogroup; exec nice -n -20 "$@"', "sh"]


def prepare(lab: Lab) -> None:
    """One queue and one CPU on each side, an address for each server, and no XDP program: sockets only."""
    for side, link, cpu in (("srv", SERVER_LINK, SERVER_CPU), ("cli", CLIENT_LINK, CLIENT_CPU)):
        subprocess.run(lab.command(side, "ip", "link", "set", "dev", link, "xdp", "off"), check=True)
        subprocess.run(lab.command(side, "ethtool", "-L", link, "rx", 1, "tx", 1), check=True)
        # `ip netns exec` shows the namespace's own /sys. Packets are taken in on this side's CPU, not the sender's.
        steer = f"echo {1 << cpu:x} > /sys/class/net/{link}/queues/rx-0/rps_cpus"
        subprocess.run(["ip", "netns", "exec", lab.namespace(side).name, "sh", "-c", steer], check=True)
    for address in ADDRESSES.values():
        subprocess.run(["ip", "-n", lab.namespace("srv").name, "addr", "replace", f"{address}/24", "dev", SERVER_LINK],
                       check=True)


def write_queries(path: Path, names: int) -> Path:
    """Names of the zone in random order, uniformly."""
    draw = random.Random(names)
    path.write_text("".join(f"{label(draw.randrange(names))}.{ZONE}. A\n" for _ in range(QUERIES)))
    return path


@dataclass(frozen=True)
class Rate:
    """Answers a second, and the part of the queries that got none."""

    answered: float
    lost: float


class Client:
    def __init__(self, lab: Lab, queries: Path):
        self.lab, self.queries = lab, queries

    def _run(self, *command, favoured: list[str] = FAVOURED) -> str:
        pinned = [*favoured, "taskset", "-c", CLIENT_CPU, *command]
        # Into a file: a pipe that nobody has time to empty would hold the generator up, and look like a slow server.
        with tempfile.TemporaryFile("w+", dir="/dev/shm") as out:
            done = subprocess.run(self.lab.command("cli", *pinned), stdout=out, stderr=subprocess.PIPE, text=True)
            out.seek(0)
            text = out.read()
        if done.returncode:
            raise Failure(f"`{' '.join(map(str, command))}` failed: {(done.stderr or text).strip()[-400:]}")
        return text

    def _dnsperf(self, server: str, *options) -> tuple[Rate, str]:
        text = self._run("dnsperf", "-s", ADDRESSES[server], "-d", self.queries, "-l", SECONDS, "-c", 8, "-T", 1, "-t",
                         1, *options)
        sent, completed = (int(_find(rf"Queries {what}:\s+(\d+)", text)) for what in ("sent", "completed"))
        good = int(_find(r"NOERROR (\d+)", text))
        seconds = float(_find(r"Run time \(s\):\s+([\d.]+)", text))
        if good < completed:
            raise Failure(f"{server}: {completed - good} of {completed} replies are not NOERROR")
        return Rate(good / seconds, 1 - completed / sent), text

    def closed_loop(self, server: str) -> Rate:
        """dnsperf as fast as it is answered; a smaller window where queries are lost."""
        for window in WINDOWS:
            rate, _ = self._dnsperf(server, "-q", window)
            if rate.lost <= LOSS:
                return rate
        raise Failure(f"{server} loses {rate.lost:.2%} of dnsperf's queries even with {window} in flight")

    def _offered(self, server: str, rate: float) -> Rate:
        text = self._run("kxdpgun", "-t", SECONDS, "-Q", int(rate), "-b", 10, "-F", "0s0", "-I", CLIENT_LINK, "-i",
                         self.queries, ADDRESSES[server], favoured=NICE)
        sent, replies = (int(_find(rf"total {what}:\s+(\d+)", text)) for what in ("queries", "replies"))
        return Rate(replies / SECONDS, 1 - replies / sent)

    def open_loop(self, server: str, guess: float) -> Rate:
        """The highest rate of kxdpgun, by bisection around `guess`, that is answered."""
        low, high, best = 0.4 * guess, 2.5 * guess, None
        for _ in range(BISECTIONS):
            middle = (low * high) ** 0.5
            rate = self._offered(server, middle)
            if rate.lost <= LOSS:
                low, best = middle, rate
            else:
                high = middle
        return best or self._offered(server, low)

    def latency(self, server: str, rate: float) -> dict[str, float]:
        """Microseconds that half, 90 and 99 of 100 answers take at most, at this rate."""
        _, text = self._dnsperf(server, "-q", 1000, "-Q", int(rate), "-v")
        times = sorted(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("> NOERROR"))
        if not times:
            raise Failure(f"dnsperf told no latencies of {server}")
        return {f"p{part}": times[len(times) * part // 100] * 1e6 for part in (50, 90, 99)}


def _find(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if not found:
        raise Failure(f"no /{pattern}/ in what the load generator printed:\n{text[-600:]}")
    return found.group(1)
