"""Nearcast beside other servers over veth: the same queries, the same closed-loop generator, CPU for each answer."""
import contextlib
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import child
import gdnsd
import veth
from console import Failure, say, waiting
from figures import Figure
from lab import SERVER, SERVER_LINK, Lab
from napi import CLIENT_LINK, SERVER_CPU, Pair
from oracle import Oracle
from server import NAME
from verify import random_networks
from workload import NAMES, Workload

ZONE = NAME.split(".", 1)[1]
LABELS = [name.removesuffix(f".{ZONE}") for name in NAMES]
ADDRESS = SERVER[4]
READY_S = 60
# A socket's server loses a few where the machine takes its CPU away for longer than its buffer lasts.
LEAST = 0.9
# The thread that takes packets in goes before the server, as it does where interrupts bring them.
FAVOURED = ["chrt", "--fifo", "5", "taskset", "-c", str(SERVER_CPU)]
HEAD = f"@ 3600 IN SOA ns1.{ZONE}. hostmaster.{ZONE}. 1 7200 3600 1209600 300\n@ 3600 IN NS ns1.{ZONE}.\n" \
       f"ns1 3600 IN A {ADDRESS}\n"


def _knot(folder: Path, database: Path, oracle: Oracle) -> list[str]:
    return _knot_with(folder, "", "")


def _knot_geo(folder: Path, database: Path, oracle: Oracle) -> list[str]:
    """mod-geoip chooses by country, which is less than to choose the nearest."""
    geo = "".join(f'  - geo: "{code}"\n    A: {oracle.nodes[number % len(oracle.nodes)].address(4)}\n'
                  for number, code in enumerate(_countries(oracle)))
    (folder / "geo.conf").write_text("".join(f"{name}:\n{geo}" for name in NAMES))
    module = f"""mod-geoip:
  - id: geo
    config-file: {folder}/geo.conf
    ttl: 60
    mode: geodb
    geodb-file: {database}
    geodb-key: [ country/iso_code ]
"""
    return _knot_with(folder, module, "    module: mod-geoip/geo\n")


def _countries(oracle: Oracle) -> list[str]:
    """Those of most clients."""
    places = (oracle.place(network.network_address) for network in random_networks(oracle, 4, 20_000, 3))
    return sorted({place.country for place in places if place and len(place.country) == 2})


def _knot_with(folder: Path, module: str, use: str) -> list[str]:
    zone = folder / ZONE
    zone.write_text(HEAD + "".join(f"{label} 60 A 198.18.0.1\n" for label in LABELS))
    (folder / "knot.conf").write_text(f"""server:
    rundir: {folder}
    listen: {ADDRESS}@53
    edns-client-subnet: on
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
xdp:
    listen: {SERVER_LINK}@53
log:
  - target: stderr
    any: warning
database:
    storage: {folder}
control:
    listen: {folder}/knot.sock
{module}zone:
  - domain: {ZONE}
    storage: {zone.parent}
    file: {zone.name}
    zonefile-sync: -1
    journal-content: none
{use}""")
    return ["knotd", "-c", str(folder / "knot.conf")]


def _gdnsd(folder: Path, database: Path, oracle: Oracle) -> list[str]:
    return gdnsd.command(folder, ADDRESS, database, oracle.nodes, ZONE, HEAD, LABELS,
                         "    udp_threads => 1\n    tcp_threads => 1\n")


def _powerdns(folder: Path, database: Path, oracle: Oracle) -> list[str]:
    """The geoip backend, which chooses by country."""
    nodes = oracle.nodes
    hosts = "".join(f"    {node.id}.dc.{ZONE}:\n      - a: {node.address(4)}\n" for node in nodes)
    services = "".join(f"    {name}: [ '%mp.dc.{ZONE}', '{nodes[0].id}.dc.{ZONE}' ]\n" for name in NAMES)
    mapping = "".join(f"    {code.lower()}: {nodes[number % len(nodes)].id}\n"
                      for number, code in enumerate(_countries(oracle)))
    (folder / "geo.yaml").write_text(f"""domains:
- domain: {ZONE}
  ttl: 60
  records:
    {ZONE}:
      - soa: ns1.{ZONE} hostmaster.{ZONE} 1 3600 600 86400 300
      - ns: ns1.{ZONE}
    ns1.{ZONE}:
      - a: {ADDRESS}
{hosts}  services:
{services}  mapping_lookup_formats: ['%cc']
  custom_mapping:
{mapping}""")
    (folder / "pdns.conf").write_text(f"""local-address={ADDRESS}
socket-dir={folder}
setuid=
setgid=
daemon=no
guardian=no
loglevel=3
disable-syslog=yes
security-poll-suffix=
receiver-threads=1
distributor-threads=1
launch=geoip
geoip-database-files=mmdb:{database}
geoip-zones-file={folder}/geo.yaml
edns-subnet-processing=yes
""")
    return ["pdns_server", f"--config-dir={folder}"]


@dataclass(frozen=True)
class Rival:
    """`figure` is how its figures end, `window` the queries in flight at most: for programs as many as a veth holds, for
    sockets fewer than their buffers lose; `library`, below /usr/lib, is what the program loads."""

    figure: str
    title: str
    program: str
    window: int
    command: Callable[[Path, Path, Oracle], list[str]]

    library: str = ""

    @property
    def is_installed(self) -> bool:
        has_program = any(Path(folder, self.program).exists() for folder in ("/usr/sbin", "/usr/bin"))
        return has_program and (not self.library or any(Path("/usr/lib").glob(self.library)))


RIVALS = [
    Rival("knot_xdp", "Knot with XDP, static names", "knotd", veth.WINDOW, _knot),
    Rival("knot_geo_xdp", "Knot with XDP and mod-geoip", "knotd", veth.WINDOW,
          _knot_geo, "*/knot/modules-*/geoip.so"),
    Rival("gdnsd", "gdnsd", "gdnsd", 128, _gdnsd),
    Rival("powerdns", "PowerDNS with geoip", "pdns_server", 64, _powerdns,
          "*/pdns/libgeoipbackend.so"),
]


class Running:
    """A rival that answers, on the server's CPU with its packets' thread."""

    def __init__(self, lab: Lab, process: subprocess.Popen, pair: Pair):
        self.lab, self._process, self._pair = lab, process, pair

    def server_ns(self) -> int:
        """On-CPU time of its threads and of the interface's, so far."""
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return self._pair.server_ns() + sum(int(task.read_text().split()[0]) for task in tasks)


def _prepare(lab: Lab) -> None:
    """One queue; and since no program of ours is there, merging of packets, which alone gives the interface a thread."""
    for side, link in (("srv", SERVER_LINK), ("cli", CLIENT_LINK)):
        subprocess.run(lab.command(side, "ethtool", "-L", link, "rx", 1, "tx", 1), check=True)
    subprocess.run(lab.command("srv", "ethtool", "-K", SERVER_LINK, "gro", "on"), check=True)


@contextlib.contextmanager
def _started(prefix: str, rival: Rival, folder: Path, database: Path, oracle: Oracle):
    folder.mkdir()
    log = folder / "log"
    with Lab(f"{prefix}-{rival.figure}") as lab:
        _prepare(lab)
        command = lab.command("srv", *FAVOURED, *rival.command(folder, database, oracle))
        with log.open("wb") as file:
            process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
        try:
            _wait(lab, rival, process, log)
            with Pair(lab) as pair:
                yield Running(lab, process, pair)
        finally:
            child.end(process)


def _wait(lab: Lab, rival: Rival, process: subprocess.Popen, log: Path) -> None:
    ask = lab.command("cli", "kdig", "+short", "+time=1", "+retry=0", f"@{ADDRESS}", NAMES[0], "A")
    until = time.monotonic() + READY_S
    while time.monotonic() < until and process.poll() is None:
        if subprocess.run(ask, capture_output=True, text=True).stdout.strip().replace(".", "").isdigit():
            return
        time.sleep(0.2)
    raise Failure(f"{rival.title} does not answer:\n{log.read_text(errors='replace')[-800:]}")


def measure(lab: Lab, workload: Workload, oracle: Oracle, database: Path, rounds: int, folder: Path) -> list[Figure]:
    """Rounds of all servers in turn, so that a disturbance of the machine meets each."""
    files = workload.write(folder)
    rivals = [rival for rival in RIVALS if rival.is_installed]
    for rival in RIVALS:
        if not rival.is_installed:
            say(f"{rival.title} is left out: `tools/setup --with bench` installs it")
    ours: list[veth.Run] = []
    theirs: dict[Rival, list[veth.Run]] = {rival: [] for rival in rivals}
    with contextlib.ExitStack() as stack:
        running = {rival: stack.enter_context(_started(lab.prefix, rival, folder / rival.figure, database, oracle))
                   for rival in rivals}
        pair = stack.enter_context(Pair(lab))
        with waiting(f"{rounds} × {veth.SECONDS} s of each"):
            for _ in range(rounds):
                ours.append(veth.flood(pair, *files, answers=True))
                for rival in rivals:
                    theirs[rival].append(_flood(rival, running[rival], files))
    veth.describe("Nearcast", ours)
    return [figure for rival in rivals for figure in _figures(rival, ours, theirs[rival])]


def _flood(rival: Rival, running: Running, files: tuple[Path, Path]) -> veth.Run:
    try:
        return veth.flood(running, *files, answers=True, window=rival.window, least=LEAST)
    except Failure as failure:
        raise Failure(f"{rival.title}: {failure}")


def _figures(rival: Rival, ours: list[veth.Run], theirs: list[veth.Run]) -> list[Figure]:
    veth.describe(rival.title, theirs)
    costs = [other.cost / run.cost for run, other in zip(ours, theirs)]
    rates = [run.rate / other.rate for run, other in zip(ours, theirs)]

    def note(field: str, unit: float) -> tuple[float, float]:
        return tuple(statistics.median(getattr(run, field) for run in runs) / unit for runs in (ours, theirs))

    cost = "{:.0f} against {:.0f} ns of server CPU an answer".format(*note("cost", 1))
    rate = "{:.2f} against {:.2f} million answers a second".format(*note("rate", 1e6))
    return [Figure.of(f"rival_cpu_{rival.figure}", costs, "×", cost),
            Figure.of(f"rival_rate_{rival.figure}", rates, "×", rate)]
