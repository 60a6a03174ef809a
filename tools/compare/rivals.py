"""Other GeoDNS servers with the same nodes and database, each configured to answer the nearest node."""
import contextlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import child
import gdnsd
from console import Failure
from lab import SERVER_LINK, Lab
from oracle import Node
from server import NAME

ZONE, LABEL = NAME.split(".", 1)[1], NAME.split(".", 1)[0]
READY_S = 60
SOA = f"@ 3600 IN SOA ns1.{ZONE}. hostmaster.{ZONE}. 1 7200 3600 1209600 300\n@ 3600 IN NS ns1.{ZONE}.\n" \
      "ns1 3600 IN A 192.0.2.53\n"


def _gdnsd(folder: Path, address: str, database: Path, nodes: list[Node]) -> list[str]:
    return gdnsd.command(folder, address, database, nodes, ZONE, SOA, [LABEL])


def _powerdns(folder: Path, address: str, database: Path, nodes: list[Node]) -> list[str]:
    """A Lua record with `pickclosest`, which looks up where the answers' own addresses are."""
    zone = folder / "zone"
    addresses = ",".join(f"'{node.address(4)}'" for node in nodes)
    zone.write_text(f'{SOA}{LABEL} 60 IN LUA A "pickclosest({{{addresses}}})"\n')
    (folder / "named.conf").write_text(f'zone "{ZONE}" {{ type master; file "{zone}"; }};\n')
    (folder / "geo.yaml").write_text("domains: []\n")
    (folder / "pdns.conf").write_text(f"""local-address={address}
socket-dir={folder}
setuid=
setgid=
daemon=no
guardian=no
security-poll-suffix=
launch=bind,geoip
bind-config={folder}/named.conf
geoip-database-files=mmdb:{database}
geoip-zones-file={folder}/geo.yaml
enable-lua-records=yes
edns-subnet-processing=yes
# Answers must not come from a cache that knows no subnets.
cache-ttl=0
query-cache-ttl=0
""")
    return ["pdns_server", f"--config-dir={folder}"]


@dataclass(frozen=True)
class Rival:
    name: str
    address: str
    command: object


RIVALS = [
    Rival("gdnsd", "192.0.2.54", _gdnsd),
    Rival("PowerDNS", "192.0.2.55", _powerdns),
]


@contextlib.contextmanager
def started(lab: Lab, rival: Rival, folder: Path, database: Path, nodes: list[Node]):
    """The server, answering."""
    folder.mkdir()
    namespace = lab.namespace("srv").name
    subprocess.run(["ip", "-n", namespace, "addr", "replace", f"{rival.address}/24", "dev", SERVER_LINK], check=True)
    log = folder / "log"
    command = lab.command("srv", *rival.command(folder, rival.address, database, nodes))
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
    try:
        _wait(lab, rival, process, log)
        yield
    finally:
        child.end(process)


def _wait(lab: Lab, rival: Rival, process: subprocess.Popen, log: Path) -> None:
    ask = lab.command("cli", "kdig", "+short", "+time=1", "+retry=0", f"@{rival.address}", NAME, "A")
    until = time.monotonic() + READY_S
    while time.monotonic() < until and process.poll() is None:
        if subprocess.run(ask, capture_output=True, text=True).stdout.strip().replace(".", "").isdigit():
            return
        time.sleep(0.2)
    raise Failure(f"{rival.name} does not answer (log: {log}):\n{log.read_text(errors='replace')[-800:]}")
