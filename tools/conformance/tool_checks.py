"""Checks the server with common DNS tools: dnsviz, zonemaster-cli, ldns-compare-zones, kdig.

A finding of a tool does not count if NSD or Knot get it too with the same zone.
"""
import concurrent.futures
import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dns.message
import dns.rdatatype
import dns.zone
import exchange
from kit import Kit, Tally
from outcome import Outcome
from stage import REFERENCES, SLOW, Zone

HERE = Path(__file__).resolve().parent
KINDS = {"plain": None, "nsec": [], "nsec3": ["-n", "-t", "0"]}
PEERS = [REFERENCES["NSD"], REFERENCES["Knot"]]
ADDRESS = re.compile(rf"(?:{'|'.join(map(re.escape, [SLOW, *REFERENCES.values()]))})(?!\d)")
LIMIT_S = 60
# Modules that ask the zone's own servers; the others need the tree above.
ZONEMASTER = ["Nameserver", "Zone", "Consistency", "DNSSEC"]
KDIG = [
    "SOA", "SOA +tcp", "SOA +dnssec", "SOA +nsid", "SOA +bufsize=512", "SOA +edns=1", "SOA +padding=64", "SOA +cookie",
    "SOA +subnet=192.0.2.0/24", "SOA +ednsopt=65001:0102", "DNSKEY +dnssec", "TYPE65280", "ANY", "ANY +tcp", "AXFR",
    "IXFR=1", "SOA +opcode=5", "SOA +opcode=4", "SOA +class=CH", "SOA +adflag +cdflag", "SOA +zflag",
    "SOA +noedns", "NS +rdflag",
]


def make_zones(folder: Path) -> list[Zone]:
    """The zone of every type, unsigned and signed both ways."""
    folder.mkdir(parents=True, exist_ok=True)
    return [(origin := f"{kind}.judged.test.", _make(folder, origin, options)) for kind, options in KINDS.items()]


def _make(folder: Path, origin: str, options: list[str] | None) -> Path:
    file = folder / f"{origin}zone"
    file.write_text(f"$ORIGIN {origin}\n{(HERE / 'judged.zone').read_text()}")
    if options is None:
        return file
    keygen = ["ldns-keygen", "-a", "ECDSAP256SHA256"]
    keys = [subprocess.run([*keygen, *flags, origin], cwd=folder, capture_output=True, text=True, check=True).stdout
            .strip() for flags in (["-k"], [])]
    day = 86400
    since, until = (time.strftime("%Y%m%d%H%M%S", time.gmtime(time.time() + days * day)) for days in (-7, 30))
    signed = Path(f"{file}.signed")
    subprocess.run(["ldns-signzone", "-i", since, "-e", until, "-o", origin, "-f", signed, *options, file, *keys],
                   cwd=folder, check=True)
    return signed


def _said(command: list, log: Path) -> str:
    """What a tool prints; kept, with its command, for the reader of the logs."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=LIMIT_S)
        text = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        text = f"did not end within {LIMIT_S} s\n"
    with log.open("a") as file:
        file.write(f"$ {' '.join(map(str, command))}\n{text}\n")
    return text


def _descriptions(tree, path: str = "") -> Iterator[str]:
    """Errors and warnings of a dnsviz report, each with its place."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key in ("errors", "warnings", "error", "warning"):
                yield from (f"{path}: {key}: {one.get('code', one.get('description'))}" for one in value)
            else:
                yield from _descriptions(value, f"{path}/{tree.get('id', '')}" if key != "queries" else path)
    elif isinstance(tree, list):
        for value in tree:
            yield from _descriptions(value, path)


def _dnsviz(kit: Kit, zone: Zone, server: str) -> set[str]:
    origin = zone[0].rstrip(".")
    log, probe = kit.logs / "dnsviz.log", kit.logs / f"dnsviz-{origin}-{server}.json"
    names = [origin, *(f"{label}.{origin}" for label in ("www", "x.wild", "absent", "b.ent"))]
    _said(["dnsviz", "probe", "-A", "-d", "1", "-x", f"{origin}+:ns1.{origin}={server}", "-R", "A,TXT,MX", "-o", probe,
           *names], log)
    text = _said(["dnsviz", "grok", "-l", "info", "-r", probe], log)
    try:
        report = json.loads(text[text.index("{"):]) if "{" in text else {}
    except ValueError:
        return {f"dnsviz grok printed no JSON: {text[:200]}"}
    if server not in text:
        return {f"dnsviz grok reports nothing about the server's replies: {text[:200]}"}
    return {line.replace(server, "SERVER") for line in _descriptions(report)}


def _zonemaster(kit: Kit, zone: Zone, server: str) -> set[str]:
    origin = zone[0].rstrip(".")
    names = [argument for label in ("ns1", "ns2") for argument in ("--ns", f"{label}.{origin}/{server}")]
    found = set()
    for module in ZONEMASTER:
        text = _said(["zonemaster-cli", "--profile", HERE / "zonemaster.json", *names, "--level", "WARNING", "--raw",
                      "--no-time", "--test", module, origin], kit.logs / "zonemaster-cli.log")
        lines = re.findall(r"^[\d. ]*((?:WARNING|ERROR|CRITICAL|FATAL) .*)$", text, re.MULTILINE)
        # The zone names two servers by address, the lab's delegation only the one in question: every server's address
        # is hidden, or their order would tell the findings apart.
        found |= {ADDRESS.sub("SERVER", re.sub(r"\s+", " ", line)).strip() for line in lines}
    return found


def _ldns_compare(kit: Kit, zone: Zone, server: str) -> set[str]:
    """Asks for every RRset of the zone by name and type; what comes back has to be the zone."""
    origin, file = zone
    loaded = dns.zone.from_file(str(file), origin=origin, relativize=False, check_origin=False)
    lines = []
    for name, rdataset in loaded.iterate_rdatasets():
        if rdataset.rdtype in (dns.rdatatype.RRSIG, dns.rdatatype.NSEC3):
            continue  # the first comes with what it signs, the second has no name to ask for
        query = dns.message.make_query(name, rdataset.rdtype)
        query.flags = 0
        reply = exchange.over_tcp(query.to_wire(), server)
        if reply is None:
            continue
        message = dns.message.from_wire(reply)
        lines += [rrset.to_text() for section in (message.answer, message.authority, message.additional)
                  for rrset in section if rrset.name == name and rrset.rdtype == rdataset.rdtype]
    whole, fetched = (kit.logs / f"compare-{origin}{server}.{end}" for end in ("whole", "fetched"))
    whole.write_text(_without_signatures(loaded))
    fetched.write_text("\n".join(sorted(set(lines), key=lambda line: " SOA " not in line)) + "\n")
    text = _said(["ldns-compare-zones", "-a", whole, fetched], kit.logs / "ldns-compare-zones.log")
    return {line for line in text.splitlines() if line.startswith(("+", "-", "~")) and not line.startswith("\t+0")
            or "rror" in line}


def _without_signatures(zone: dns.zone.Zone) -> str:
    lines = [f"{name} {rdataset.ttl} IN {dns.rdatatype.to_text(rdataset.rdtype)} {rdata}"
             for name, rdataset in zone.iterate_rdatasets() for rdata in rdataset
             if rdataset.rdtype not in (dns.rdatatype.RRSIG, dns.rdatatype.NSEC3)]
    return "\n".join(sorted(lines, key=lambda line: " SOA " not in line)) + "\n"


def _kdig(kit: Kit, zone: Zone, server: str) -> set[str]:
    """Status, flags and counts of many kinds of queries, and the warnings of kdig."""
    found = set()
    for options in KDIG:
        text = _said(["kdig", f"@{server}", zone[0], *options.split(), "+norec", "+time=2", "+retry=0"],
                     kit.logs / "kdig.log")
        status = re.search(r"status: (\w+)", text)
        flags = re.search(r"Flags: ([a-z ]*);", text)
        found.add(f"{options}: {status and status.group(1)}, flags {flags and flags.group(1).strip()}")
        found |= {f"{options}: {line}" for line in text.splitlines() if line.startswith((";; WARNING", ";; ERROR"))}
    return {line.replace(server, "SERVER") for line in found}


TOOLS: dict[str, Callable[[Kit, Zone, str], set[str]]] = {
    "dnsviz": _dnsviz, "zonemaster-cli": _zonemaster, "ldns-compare-zones": _ldns_compare, "kdig": _kdig,
}


def run(kit: Kit, outcome: Outcome, zones: list[Zone]) -> None:
    for name, tool in TOOLS.items():
        # They mostly wait, for servers that a lab does not have. Threads begin in this one's namespace.
        with concurrent.futures.ThreadPoolExecutor(max_workers=9) as pool:
            said = {(zone, server): pool.submit(tool, kit, zone, server) for zone in zones for server in [SLOW, *PEERS]}
        for zone in zones:
            ours = said[zone, SLOW].result()
            excused = set().union(*(said[zone, peer].result() for peer in PEERS))
            bad = sorted(ours - excused)
            outcome.add(f"{name}, as NSD or Knot", "slow", Tally(int(not bad), len(bad), len(ours & excused)),
                        f"{name}.log", [f"{zone[0]}: {line}" for line in bad])
