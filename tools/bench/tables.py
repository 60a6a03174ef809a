"""As many steering tables as the layout has, at the database's full resolution: CPU and memory of start and reloads."""
import os
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path

import kernel_maps
from background import Background
from figures import Figure
from oracle import Node, Oracle
from server import Server, configuration
from verify import random_networks

MIB = 1 << 20
POOLS = 128  # and two families
NODES = 500
MEMBERS = 100
PAUSE_S = 0.02
START_LIMIT_S = 900


def sites(oracle: Oracle, seed: int = 4, count: int = NODES) -> list[Node]:
    """Nodes at random places of the database."""
    places = {}
    for network in random_networks(oracle, 4, 4 * count, seed):
        place = oracle.ecs_place(network.network_address)
        places.setdefault((place.latitude, place.longitude), place)
    chosen = list(places.values())[:count]
    return [Node(index, f"n{index}", "", place.latitude, place.longitude, place.country, place.continent)
            for index, place in enumerate(chosen)]


def pools(nodes: list[Node], without: int = 0, of: range = range(0)) -> list[list[str]]:
    """Members of each pool; those of the pools in `of` lack so many of them."""
    draw = random.Random(5)
    found = [draw.sample([node.id for node in nodes], MEMBERS) for _ in range(POOLS)]
    return [members[without if number in of else 0:] for number, members in enumerate(found)]


def text(server: Server, database: Path, nodes: list[Node], pools: list[list[str]]) -> str:
    """The configuration: a pool and a name for each two tables. One node in ten has one family only, so that no two tables
    are alike."""
    lines = configuration(server.folder, database, nodes, replace(server.service, names=())).splitlines()
    for node in nodes:
        both = f'    addresses: [{node.address(4)}, "{node.address(6)}"]'
        if node.index % 10 < 2:
            only = node.address(4) if node.index % 10 else f'"{node.address(6)}"'
            lines[lines.index(both)] = f"    addresses: [{only}]"
    at = next(index for index, line in enumerate(lines) if line.startswith("  - {id: world"))
    lines[at:at + 1] = [f"  - {{id: p{number}, nodes: [{', '.join(ids)}]}}" for number, ids in enumerate(pools)]
    lines += [f"  - {{name: t{number}.example.com, pool: p{number}, policy: judged}}" for number in range(len(pools))]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Usage:
    """Of a daemon: MiB of memory of its own, of the kernel's maps, and seconds of CPU since its start."""

    own: float
    maps: float
    cpu: float

    @property
    def memory(self) -> float:
        return self.own + self.maps

    @staticmethod
    def of(pid: int) -> "Usage":
        status = Path(f"/proc/{pid}/status").read_text()
        own = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon:"))
        times = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        cpu = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
        return Usage(own / MIB, kernel_maps.memory() / MIB, cpu)


class Watch(Background):
    """Notes the most memory that a daemon has while a `with` block runs."""

    def __init__(self, pid: int):
        super().__init__()
        self.pid, self.seen = pid, [Usage.of(pid)]

    def run(self) -> None:
        while not self.stopping.wait(PAUSE_S):
            self.seen.append(Usage.of(self.pid))

    @property
    def peak(self) -> Usage:
        return max(self.seen, key=lambda usage: usage.memory)


def _note(usage: Usage) -> str:
    return f"the process's own {usage.own:.0f} MiB, maps {usage.maps:.0f} MiB"


def _swap(server: Server, name: str, text: str) -> list[Figure]:
    server.config.write_text(text)
    pid = server.process.pid
    before = Usage.of(pid)
    with Watch(pid) as watch:
        told = server.ask("reload")
    seconds = Usage.of(pid).cpu - before.cpu
    note = f"{told['tookSeconds']:.1f} s, {told.get('fastPath', '')}" if "tookSeconds" in told else ""
    return [Figure.of(f"tables_{name}_cpu_s", [seconds], "s", note),
            Figure.of(f"tables_{name}_peak_mib", [watch.peak.memory], "MiB", _note(watch.peak), digits=0)]


def measure(server: Server, oracle: Oracle, database: Path) -> list[Figure]:
    """`server` is not running; its configuration is written anew."""
    nodes = sites(oracle)
    server.config.write_text(text(server, database, nodes, pools(nodes)))
    server.start_limit_s = START_LIMIT_S
    with server:
        pid = server.process.pid
        start = Usage.of(pid)
        time.sleep(2)
        steady = Usage.of(pid)
        figures = [Figure.of("tables_start_cpu_s", [start.cpu], "s", "reading and compiling the database included"),
                   Figure.of("tables_steady_mib", [steady.memory], "MiB", _note(steady), digits=0)]
        figures += _swap(server, "all", text(server, database, nodes, pools(nodes, 1, range(POOLS))))
        time.sleep(2)
        settled = Usage.of(pid)
        figures += _swap(server, "one", text(server, database, nodes, pools(nodes, 1, range(1, POOLS))))
        figures.append(Figure.of("tables_settled_mib", [settled.memory], "MiB", _note(settled), digits=0))
        return figures
