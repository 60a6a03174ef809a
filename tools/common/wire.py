"""The part of the DNS protocol that the checks need: one form of query, and the relevant fields of replies."""
import ipaddress
import struct
from dataclasses import dataclass

A, AAAA, OPT, ECS, COOKIE = 1, 28, 41, 8, 10
TYPES = {4: A, 6: AAAA}


class Malformed(Exception):
    """A reply that cannot be read."""


def encode_name(name: str) -> bytes:
    labels = name.rstrip(".").split(".")
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def encode_ecs(network) -> bytes:
    """The option's data (RFC 7871, section 6): family, source length, scope 0, as few address bytes as hold it."""
    used = (network.prefixlen + 7) // 8
    family = 1 if network.version == 4 else 2
    return struct.pack("!HBB", family, network.prefixlen, 0) + network.network_address.packed[:used]


def query(id: int, name: str, type: int, ecs=None, cookie: bytes = b"") -> bytes:
    """A query with OPT (payload 1232), with ECS when a network is given, and with a cookie when there is one."""
    option = b""
    if ecs is not None:
        data = encode_ecs(ecs)
        option = struct.pack("!HH", ECS, len(data)) + data
    if cookie:
        option += struct.pack("!HH", COOKIE, len(cookie)) + cookie
    question = encode_name(name) + struct.pack("!HH", type, 1)
    opt = b"\0" + struct.pack("!HHIH", OPT, 1232, 0, len(option)) + option
    return struct.pack("!HHHHHH", id, 0x0100, 1, 0, 0, 1) + question + opt


@dataclass
class Reply:
    """A parsed reply. `addresses` are those of the answer section, `ecs` and `cookie` the options' raw data."""

    id: int
    rcode: int
    authoritative: bool
    addresses: list[str]
    ttl: int | None
    ecs: bytes | None
    cookie: bytes | None = None

    def scope(self) -> int | None:
        return self.ecs[3] if self.ecs else None

    def echoes(self, network) -> bool:
        """Whether family, source length and address came back as they were sent."""
        sent = encode_ecs(network)
        return self.ecs is not None and self.ecs[:3] + b"\0" + self.ecs[4:] == sent


def _skip_name(message: bytes, at: int) -> int:
    while message[at]:
        if message[at] & 0xC0 == 0xC0:
            return at + 2
        at += 1 + message[at]
    return at + 1


def _option(wanted: int, options: bytes) -> bytes | None:
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from("!HH", options, at)
        if code == wanted:
            return options[at + 4 : at + 4 + length]
        at += 4 + length
    return None


def parse(message: bytes) -> Reply:
    """Reads a reply to `query`; raises `Malformed` when it is none."""
    try:
        id, flags, questions, *counts = struct.unpack_from("!HHHHHH", message)
        if not flags & 0x8000 or questions != 1:
            raise Malformed("not a reply to one question")
        reply = Reply(id, flags & 15, bool(flags & 0x0400), [], None, None)
        at = _skip_name(message, 12) + 4
        for number in range(sum(counts)):
            at = _skip_name(message, at)
            type, _, ttl, length = struct.unpack_from("!HHIH", message, at)
            data = message[at + 10 : at + 10 + length]
            at += 10 + length
            if type in (A, AAAA) and number < counts[0]:
                reply.addresses.append(str(ipaddress.ip_address(data)))
                reply.ttl = ttl
            elif type == OPT:
                reply.ecs, reply.cookie = _option(ECS, data), _option(COOKIE, data)
        if at != len(message):
            raise Malformed("bytes left over")
        return reply
    except (struct.error, IndexError, ValueError) as error:
        raise Malformed(str(error)) from error
