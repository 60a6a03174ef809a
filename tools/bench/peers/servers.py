"""The servers that are measured: one zone, one address each, one worker on one core."""
import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import child
from console import Failure
from lab import Lab

ZONE = "bench.test"
NEARCAST, NSD, KNOT, GDNSD = "nearcast", "nsd", "knot", "gdnsd"
ADDRESSES = {NEARCAST: "192.0.2.53", NSD: "192.0.2.54", KNOT: "192.0.2.55", GDNSD: "192.0.2.56"}
SERVER_CPU = 1
# Of the servers and the clients alike: real-time, before everyone else's work on their cores, which would hit one
# server more than another.
FAVOURED = ["chrt", "--fifo", "5"]
READY_S = 60


def label(number: int) -> str:
    return f"h{number:06d}"


def write_zone(folder: Path, names: int) -> Path:
    """Static A records: what every one of the servers can answer."""
    head = f"$TTL 3600\n@ IN SOA ns1.{ZONE}. hostmaster.{ZONE}. 1 7200 3600 1209600 300\n@ IN NS ns1.{ZONE}.\n"
    hosts = "".join(f"{label(number)} IN A 198.18.{number // 256 % 256}.{number % 256}\n" for number in range(names))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / ZONE  # gdnsd takes the zone's name from the file's
    file.write_text(f"{head}ns1 IN A 192.0.2.53\n{hosts}")
    return file


def _nearcast(folder: Path, zone: Path, binaries: Path) -> list:
    config = folder / "nearcast.yaml"
    config.write_text(f"""listen: ["{ADDRESSES[NEARCAST]}:53"]
control: {folder}/control.sock
state: {folder}
fast_path: {{mode: off}}
zones:
  - {{origin: {ZONE}, file: {zone}}}
""")
    return [binaries / "nearcastd", "--config", config]


def _nsd(folder: Path, zone: Path, binaries: Path) -> list:
    config = folder / "nsd.conf"
    config.write_text(f"""server:
    ip-address: {ADDRESSES[NSD]}
    do-ip6: no
    server-count: 1
    username: ""
    chroot: ""
    zonesdir: "{zone.parent}"
    database: ""
    pidfile: "{folder}/nsd.pid"
    xfrdfile: "{folder}/xfrd.state"
    zonelistfile: "{folder}/zone.list"
    xfrdir: "{folder}"
    minimal-responses: yes
    rrl-ratelimit: 0
remote-control:
    control-enable: no
zone:
    name: {ZONE}
    zonefile: {zone.name}
""")
    return ["nsd", "-d", "-c", config]


def _knot(folder: Path, zone: Path, binaries: Path) -> list:
    config = folder / "knot.conf"
    config.write_text(f"""server:
    rundir: {folder}
    listen: {ADDRESSES[KNOT]}@53
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
log:
  - target: stderr
    any: warning
database:
    storage: {folder}
control:
    listen: {folder}/knot.sock
zone:
  - domain: {ZONE}
    storage: {zone.parent}
    file: {zone.name}
    zonefile-sync: -1
    journal-content: none
""")
    return ["knotd", "-c", config]


def _gdnsd(folder: Path, zone: Path, binaries: Path) -> list:
    zones = folder / "zones"
    zones.mkdir()
    (zones / ZONE).symlink_to(zone)
    (folder / "config").write_text(f"""options => {{
    listen => {ADDRESSES[GDNSD]}
    udp_threads => 1
    tcp_threads => 1
    run_dir => {folder}/run
    state_dir => {folder}/state
}}
""")
    for name in ("run", "state"):
        (folder / name).mkdir()
    return ["gdnsd", "-c", folder, "start"]


COMMANDS = {NEARCAST: _nearcast, NSD: _nsd, KNOT: _knot, GDNSD: _gdnsd}


@dataclass
class Running:
    name: str
    process: subprocess.Popen
    log: Path


@contextlib.contextmanager
def started(lab: Lab, name: str, folder: Path, zone: Path, binaries: Path):
    """The server, answering and kept to its core."""
    folder.mkdir(parents=True)
    log = folder / "log"
    command = lab.command("srv", *FAVOURED, "taskset", "-c", SERVER_CPU, *COMMANDS[name](folder, zone, binaries))
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
    running = Running(name, process, log)
    try:
        _wait(lab, running)
        yield running
    finally:
        child.end(process)


def _wait(lab: Lab, running: Running) -> None:
    """Until the zone's last name is answered."""
    ask = lab.command("cli", "kdig", "+short", "+time=1", "+retry=0", f"@{ADDRESSES[running.name]}",
                      f"{label(0)}.{ZONE}", "A")
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        if running.process.poll() is not None:
            break
        done = subprocess.run(ask, capture_output=True, text=True)
        if done.stdout.strip() == "198.18.0.0":
            return
        time.sleep(0.2)
    end = running.log.read_text(errors="replace")[-600:]
    raise Failure(f"{running.name} does not answer (log: {running.log}):\n{end}")


def installed() -> list[str]:
    """The servers that are there, and Nearcast."""
    paths = os.environ["PATH"].split(":") + ["/usr/sbin"]
    programs = {NSD: "nsd", KNOT: "knotd", GDNSD: "gdnsd"}
    return [NEARCAST] + [name for name, program in programs.items()
                         if any(Path(path, program).exists() for path in paths)]
