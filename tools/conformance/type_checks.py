"""Record types: each record of `types.zone` is served in its own zone and compared with the reference servers."""
import types
from dataclasses import dataclass
from pathlib import Path

import dns.exception
import dns.message
import dns.rdata
import dns.rdatatype
import dns.rdtypes.ANY.RP
import dns.rdtypes.nsbase
import exchange
from kit import Kit, Tally
from outcome import Outcome
from stage import FAST, REFERENCES, SLOW, Zone

HERE = Path(__file__).resolve().parent
SUFFIX = "types.test."
JUDGES = ["NSD", "Knot", "BIND"]
# They write the names of many types in small letters.
FOLDING = {"NSD", "Knot"}
# Types that dnspython does not know: those with names that may be compressed, and all others.
ONE_NAME = {"MD": 3, "MF": 4, "MB": 7, "MG": 8, "MR": 9}
TWO_NAMES = {"MINFO": 14}
OTHERS = {
    "NULL": 10, "WKS": 11, "NSAP-PTR": 23, "SIG": 24, "KEY": 25, "NXT": 30, "EID": 31, "NIMLOC": 32, "ATMA": 34,
    "NINFO": 56, "RKEY": 57, "TALINK": 58, "DSYNC": 66, "HHIT": 67, "BRID": 68, "AVC": 258, "DOA": 259,
    "RESINFO": 261, "WALLET": 262, "TA": 32768, "DLV": 32769,
}
NUMBERS = ONE_NAME | TWO_NAMES | OTHERS


@dataclass(frozen=True)
class Record:
    label: str
    type: str
    text: str

    @property
    def zone(self) -> str:
        return f"{self.label}.{SUFFIX}"

    @property
    def number(self) -> int:
        return NUMBERS.get(self.type) or int(dns.rdatatype.from_text(self.type))


def _records() -> list[Record]:
    lines = [line.split(maxsplit=2) for line in (HERE / "types.zone").read_text().splitlines()
             if line and not line.startswith(";")]
    return [Record(label, type, *(rest or [""])) for label, type, *rest in lines]


def make_zones(folder: Path) -> list[Zone]:
    """A zone for each record: what a reference cannot read fails alone."""
    folder.mkdir(parents=True, exist_ok=True)
    zones = []
    for record in _records():
        file = folder / f"{record.zone}zone"
        file.write_text(f"$ORIGIN {record.zone}\n$TTL 3600\n@ IN SOA ns1 hostmaster 1 14400 3600 1209600 3600\n"
                        f"@ IN NS ns1\nns1 IN A 127.53.1.1\nx IN {record.type} {record.text}\n")
        zones.append((record.zone, file))
    return zones


def _teach_dnspython() -> None:
    """The types in whose data names may be compressed, so that it writes them out."""
    for numbers, kind in ((ONE_NAME, dns.rdtypes.nsbase.NSBase), (TWO_NAMES, dns.rdtypes.ANY.RP.RP)):
        for name, number in numbers.items():
            dns.rdata.register_type(types.SimpleNamespace(**{name: type(name, (kind,), {})}), number, name)


def _data(record: Record, server: str) -> bytes | None:
    """The RDATA that a server answers, with the names in it written out; None when it has none."""
    query = dns.message.make_query(f"x.{record.zone}", record.number, use_edns=0, payload=1232, id=7)
    query.flags = 0
    reply = exchange.over_udp(query.to_wire(), server)
    try:
        message = dns.message.from_wire(reply) if reply else None
    except dns.exception.DNSException:
        return None
    found = [rdata for rrset in message.answer if rrset.rdtype == record.number for rdata in rrset] if message else []
    return found[0].to_wire() if len(found) == 1 else None


def _is_same(ours: bytes, judge: str, theirs: bytes) -> bool:
    return ours == theirs or judge in FOLDING and ours.lower() == theirs.lower()


def _judge(record: Record, server: str) -> tuple[Tally, str]:
    """A record passes when its RDATA is that of every judge that could read it."""
    ours = _data(record, server)
    theirs = {judge: data for judge in JUDGES if (data := _data(record, REFERENCES[judge])) is not None}
    line = f"{record.label}\t{record.type} {record.text}\t"
    if ours is None:
        return Tally(0, 1), line + f"not answered; known to {', '.join(theirs) or 'none'}"
    if other := [f"{judge} has {data.hex()}" for judge, data in theirs.items() if not _is_same(ours, judge, data)]:
        return Tally(0, 1), line + f"has {ours.hex()}, {', '.join(other)}"
    return Tally(int(bool(theirs)), 0, int(not theirs)), line + f"{ours.hex()}, as {', '.join(theirs) or 'none'}"


def run(outcome: Outcome, kit: Kit) -> None:
    _teach_dnspython()
    for path, server in {"slow": SLOW, "fast": FAST}.items():
        judged = [_judge(record, server) for record in _records()]
        (kit.logs / f"types-{path}.tsv").write_text("\n".join(line for _, line in judged) + "\n")
        outcome.add("types, as the references", path, sum((tally for tally, _ in judged), Tally(0, 0)),
                    f"types-{path}.tsv", [line for tally, line in judged if tally.failed])
