"""Hostile frames, built in advance and sent by c/hail.c."""
import ipaddress
import random
import struct
from pathlib import Path

import wire
from lab import SERVER

# Of tools/lab.
SERVER_MAC, CLIENT_MAC = bytes.fromhex("026e63000053"), bytes.fromhex("026e63000001")
OTHER_MAC = bytes.fromhex("02deadbeef01")
PORTS = (0, 7, 13, 17, 19, 37, 53, 123, 464)
GARBAGE = b"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefgh\r\n"
FORGED = 16384
UDP, FRAGMENT, OPTIONS, NONE = 17, 44, 60, 59


def _sum(data: bytes) -> int:
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _packed(address: str) -> bytes:
    return ipaddress.ip_address(address).packed


def ethernet(payload: bytes, version: int, to: bytes = SERVER_MAC, tags: tuple[int, ...] = ()) -> bytes:
    """`tags`: the types of VLAN headers in front, of the VLANs 1, 2 and so on."""
    headers = b"".join(struct.pack("!HH", kind, number) for number, kind in enumerate(tags, 1))
    return to + CLIENT_MAC + headers + (b"\x08\x00" if version == 4 else b"\x86\xdd") + payload


def datagram(source: str, port: int, payload: bytes, length: int | None = None, zero: bool = False) -> bytes:
    """To the server. `length`: a wrong length for the header; `zero`: no checksum."""
    version = ipaddress.ip_address(source).version
    head = struct.pack("!HHHH", port, 53, 8 + len(payload) if length is None else length, 0)
    pseudo = _packed(source) + _packed(SERVER[version]) + struct.pack("!IHH", 8 + len(payload), 0, UDP)
    total = 0 if zero else _sum(pseudo + head + payload) or 0xFFFF
    return head[:6] + struct.pack("!H", total) + payload


def packet(source: str, body: bytes, next: int = UDP, offset: int = 0, more: bool = False) -> bytes:
    """To the server. `offset` in bytes and `more` are of an IPv4 fragment."""
    if ipaddress.ip_address(source).version == 6:
        return struct.pack("!IHBB", 6 << 28, len(body), next, 64) + _packed(source) + _packed(SERVER[6]) + body
    flags = offset // 8 | (0x2000 if more else 0)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 7, flags, 64, next, 0) + _packed(source) + _packed(SERVER[4])
    return head[:10] + struct.pack("!H", _sum(head)) + head[12:] + body


def _plain(source: str, port: int, payload: bytes, **more) -> bytes:
    version = ipaddress.ip_address(source).version
    return ethernet(packet(source, datagram(source, port, payload)), version, **more)


def forged(dice: random.Random, question: bytes) -> list[bytes]:
    """Queries for the slow path from sources that do not exist: 4 in 10 on the server's own IPv4 network, 2 on its IPv6 network,
    4 elsewhere. On the link they are 190 and 250: the kernel's table of neighbours is the whole machine's."""
    frames = []
    for number in range(FORGED):
        kind = number % 10
        if kind < 4:
            source = f"192.0.2.{60 + dice.randrange(190)}"
        elif kind < 6:
            source = f"2001:db8:53::dead:{dice.randrange(250):x}"
        elif kind < 8:
            source = f"100.{64 + dice.randrange(64)}.{dice.randrange(256)}.{dice.randrange(1, 255)}"
        else:
            source = f"2001:db8:{dice.randrange(0x1000, 0xffff):x}::{dice.randrange(1, 0xffff):x}"
        frames.append(_plain(source, dice.randrange(1024, 65536), dice.randbytes(2) + question[2:]))
    return frames


def _services(dice: random.Random, question: bytes) -> list[bytes]:
    """From ports where something answers anything: a query, garbage, and what wants an error."""
    notify = question[:2] + b"\x28\x00" + question[4:]
    payloads = (question, GARBAGE, notify, question[:17], question[:12])
    sources = (f"100.64.0.{dice.randrange(1, 255)}", "192.0.2.1", "2001:db8:9::7", "2001:db8:53::1")
    return [_plain(source, port, payload) for port in PORTS for payload in payloads for source in sources]


def _impossible(question: bytes) -> list[bytes]:
    """Sources that cannot be answered, and frames to another host."""
    sources = (SERVER[4], SERVER[6], "192.0.2.255", "192.0.2.0", "255.255.255.255", "224.0.0.1", "ff02::1", "127.0.0.1", "::1", "::",
               "0.0.0.0", "240.0.0.1", "::ffff:192.0.2.1")
    other = [_plain(source, 5353, question, to=OTHER_MAC) for source in ("192.0.2.1", "100.64.1.1", "2001:db8:9::8")]
    return [_plain(source, port, question) for source in sources for port in (53, 5353)] + other


def _chains(question: bytes) -> list[bytes]:
    """IPv6 destination options, none to seven, with and without a fragment header behind, and fragments."""
    source, frames = "2001:db8:9::9", []
    body = datagram(source, 5353, question)
    for count in range(8):
        for last in (UDP, FRAGMENT):
            inner = body if last == UDP else bytes([UDP, 0, 0, 0, 0, 0, 0, 7]) + body
            for number in range(count):
                inner = bytes([last if not number else OPTIONS, 0, 1, 4, 0, 0, 0, 0]) + inner
            frames.append(ethernet(packet(source, inner, OPTIONS if count else last), 6))
    for offset, more in ((0, True), (24, False), (8, True)):
        frames.append(ethernet(packet("100.64.1.2", datagram("100.64.1.2", 5353, question)[offset:], offset=offset, more=more), 4))
        field = struct.pack("!BBHI", UDP, 0, offset | more, 7)
        frames.append(ethernet(packet(source, field + body[offset:], FRAGMENT), 6))
    return frames


def _bent(question: bytes) -> list[bytes]:
    """VLAN stacks, checksums left out, and lengths that are not true."""
    frames = []
    for source, version in (("100.64.1.3", 4), ("2001:db8:9::a", 6)):
        for tags in ((0x8100,), (0x88A8,), (0x8100, 0x8100), (0x88A8, 0x8100), (0x8100, 0x88A8, 0x8100), (0x9100,), (0x8100,) * 5):
            frames.append(_plain(source, 5353, question, tags=tags))
        for length in (0, 1, 7, 8, 12, 19, len(question), len(question) + 9, 1500, 65535):
            body = datagram(source, 5353, question, length=length)
            frames.append(ethernet(packet(source, body), version))
        frames.append(ethernet(packet(source, datagram(source, 5353, question, zero=True)), version))
    return frames


def odd(dice: random.Random, question: bytes) -> list[bytes]:
    """Each kind of them, in an order of the dice's."""
    frames = _services(dice, question) + _impossible(question) + _chains(question) + _bent(question)
    dice.shuffle(frames)
    return frames


def write(frames: list[bytes], path: Path) -> Path:
    path.write_bytes(b"".join(struct.pack("<H", len(frame)) + frame for frame in frames))
    return path
