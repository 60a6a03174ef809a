"""The queries of RFC 8906, section 8, each of which a server must answer correctly."""
import struct
from collections.abc import Callable
from dataclasses import dataclass

import dns.exception
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import exchange

NSID, CLIENT_SUBNET, EXPIRE, COOKIE, UNKNOWN = 3, 8, 9, 10, 100
SUBNET = struct.pack("!HBB", 1, 0, 0)


@dataclass(frozen=True)
class Case:
    """`must` names what a reply has to be; a check returns whether it is."""

    section: str
    title: str
    query: bytes
    must: tuple[str, ...]
    tcp: bool = False


CHECKS: dict[str, Callable[[dns.message.Message], bool]] = {
    "NOERROR": lambda reply: reply.rcode() == dns.rcode.NOERROR,
    "NOTIMP": lambda reply: reply.rcode() == dns.rcode.NOTIMP,
    "BADVERS": lambda reply: reply.rcode() == dns.rcode.BADVERS,
    "SOA": lambda reply: any(rrset.rdtype == dns.rdatatype.SOA for rrset in reply.answer),
    "no answer": lambda reply: not reply.answer,
    "AA": lambda reply: bool(reply.flags & dns.flags.AA),
    "no AA": lambda reply: not reply.flags & dns.flags.AA,
    "no RA": lambda reply: not reply.flags & dns.flags.RA,
    "no AD": lambda reply: not reply.flags & dns.flags.AD,
    "RD": lambda reply: bool(reply.flags & dns.flags.RD),
    "Z clear": lambda reply: not reply.flags & 0x40,
    "OPT": lambda reply: reply.edns >= 0,
    "no OPT": lambda reply: reply.edns < 0,
    "version 0": lambda reply: reply.edns == 0,
    "DO": lambda reply: bool(reply.ednsflags & dns.flags.DO),
    "EDNS Z clear": lambda reply: not reply.ednsflags & 0x7FFF,
    "option not echoed": lambda reply: all(int(option.otype) != UNKNOWN for option in reply.options),
}


def _plain(zone: str, type: str = "SOA", flags: int = 0, opcode: int = 0) -> bytes:
    message = dns.message.make_query(zone, type, id=7)
    message.flags = flags
    message.set_opcode(opcode)
    return message.to_wire()


def _edns(zone: str, version: int = 0, flags: int = 0, payload: int = 1232, options: tuple = ()) -> bytes:
    """A query with OPT; `options` are pairs of a code and data."""
    data = b"".join(struct.pack("!HH", code, len(data)) + data for code, data in options)
    opt = b"\0" + struct.pack("!HHBBHH", dns.rdatatype.OPT, payload, 0, version, flags, len(data)) + data
    plain = _plain(zone)
    return plain[:10] + b"\0\1" + plain[12:] + opt


def cases(zone: str) -> list[Case]:
    unknown = (UNKNOWN, b"")
    served = ("NOERROR", "SOA", "AA", "no RA", "no AD", "Z clear")
    minimal, refused = (*served, "OPT", "version 0"), ("BADVERS", "no answer", "OPT", "version 0", "EDNS Z clear")
    bare_header = struct.pack("!HHHHHH", 7, 15 << 11, 0, 0, 0, 0)
    return [
        Case("8.1.1", "is the server configured for the zone", _plain(zone), (*served, "no OPT")),
        Case("8.1.2", "unknown type", _plain(zone, "TYPE1000"), ("NOERROR", "no answer", "AA", "no OPT")),
        Case("8.1.3.1", "CD=1", _plain(zone, flags=dns.flags.CD), served),
        Case("8.1.3.2", "AD=1", _plain(zone, flags=dns.flags.AD), served),
        Case("8.1.3.3", "reserved bit", _plain(zone, flags=0x40), served),
        Case("8.1.3.4", "RD=1", _plain(zone, flags=dns.flags.RD), (*served, "RD")),
        Case("8.1.4", "unknown opcode", bare_header, ("NOTIMP", "no answer", "no AA")),
        Case("8.1.4", "unknown opcode with a question", _plain(zone, opcode=15), ("NOTIMP", "no answer", "no AA")),
        Case("8.1.5", "TCP", _plain(zone), (*served, "no OPT"), tcp=True),
        Case("8.2.1", "minimal EDNS", _edns(zone), minimal),
        Case("8.2.2", "EDNS version 1", _edns(zone, version=1), refused),
        Case("8.2.3", "unknown option", _edns(zone, options=(unknown,)), (*minimal, "option not echoed")),
        Case("8.2.4", "unknown flag", _edns(zone, flags=0x40), (*minimal, "EDNS Z clear")),
        Case("8.2.5", "version 1 with an unknown flag", _edns(zone, version=1, flags=0x40), refused),
        Case("8.2.6", "version 1 with an unknown option", _edns(zone, version=1, options=(unknown,)),
             (*refused, "option not echoed")),
        Case("8.2.7", "small payload", _edns(zone, flags=dns.flags.DO, payload=512), (*minimal, "DO")),
        Case("8.2.8", "DO=1", _edns(zone, flags=dns.flags.DO), (*minimal, "DO")),
        Case("8.2.9", "version 1 with DO=1", _edns(zone, version=1, flags=dns.flags.DO), refused),
        Case("8.2.10", "several defined options", _edns(zone, options=(
            (NSID, b""), (CLIENT_SUBNET, SUBNET), (EXPIRE, b""), (COOKIE, bytes(range(8))))), minimal),
        Case("8.2", "EDNS over TCP", _edns(zone), minimal, tcp=True),
    ]


def judge(case: Case, server: str) -> str:
    """Empty, or what is wrong with the server's reply."""
    reply = (exchange.over_tcp if case.tcp else exchange.over_udp)(case.query, server)
    if reply is None:
        return "no reply"
    try:
        message = dns.message.from_wire(reply)
    except (dns.exception.DNSException, ValueError) as error:
        return f"a reply that cannot be read: {error}"
    return ", ".join(f"not: {name}" for name in case.must if not CHECKS[name](message))
