"""Workloads: frames of queries and the clients they speak for, in the form that c/workload.h describes."""
import random
import struct
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path

import wire
from lab import SERVER, Lab
from oracle import Oracle
from server import NAME
from verify import random_networks

FRAME_BYTES = 256
CLIENT = {4: "192.0.2.1", 6: "2001:db8:53::1"}
CLIENT_PORT = 40000
# The addresses that tools/lab gives to the two ends.
MACS = bytes.fromhex("026e63000053") + bytes.fromhex("026e63000001")
# Zone owners have names of every length; so do these.
STEMS = ["www", "api", "cdn", "img", "app", "static", "assets", "download"]
NAMES = [f"{STEMS[number % len(STEMS)]}{number // len(STEMS)}.example.com" for number in range(1000)]
CLIENTS = 10_000


def _checksum(data: bytes) -> int:
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet(message: bytes, version: int = 4, port: int = 53) -> bytes:
    """The Ethernet frame of a query from the lab's client. UDP has a checksum over IPv6 only, where one is required. A client's
    address that is drawn into the frame makes it wrong; XDP does not verify it."""
    source, server = ip_address(CLIENT[version]).packed, ip_address(SERVER[version]).packed
    udp = struct.pack("!HHHH", CLIENT_PORT, port, 8 + len(message), 0)
    if version == 4:
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 28 + len(message), 0, 0, 64, 17, 0) + source + server
        ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
        return MACS + b"\x08\x00" + ip + udp + message
    ip = struct.pack("!IHBB", 6 << 28, 8 + len(message), 17, 64) + source + server
    pseudo_header = source + server + struct.pack("!II", 8 + len(message), 17)
    udp = udp[:6] + struct.pack("!H", _checksum(pseudo_header + udp + message) or 0xFFFF)
    return MACS + b"\x86\xdd" + ip + udp + message


@dataclass(frozen=True)
class Workload:
    """Every frame with every client; `open_bytes` at a frame's end are the client's ECS address."""

    frames: list[bytes]
    clients: list[bytes]
    open_bytes: int = 0

    def write(self, folder: Path) -> tuple[Path, Path]:
        frames, clients = folder / "frames", folder / "clients"
        frames.write_bytes(b"".join(
            struct.pack("=II", len(frame), self.open_bytes) + frame.ljust(FRAME_BYTES, b"\0") for frame in self.frames
        ))
        clients.write_bytes(b"".join(client.ljust(8, b"\0") for client in self.clients))
        return frames, clients


def located_subnets(oracle: Oracle, version: int, count: int, seed: int = 2) -> list[bytes]:
    """Addresses of different /24s (/56s) that the database has a place for: as many bytes as ECS sends."""
    length = {4: 24, 6: 56}[version]
    found: dict[bytes, None] = {}
    while len(found) < count:
        for network in random_networks(oracle, version, count, seed):
            found.setdefault(network.network_address.packed[: length // 8])
        seed += 1
    chosen = list(found)[:count]
    random.Random(seed).shuffle(chosen)
    return chosen


def tailored(oracle: Oracle, names: list[str], clients: int, version: int = 4) -> Workload:
    """Queries with ECS: A by /24 over IPv4, AAAA by /56 over IPv6."""
    anyone = ip_network("0.0.0.0/24" if version == 4 else "::/56")
    frames = [packet(wire.query(7, name, wire.TYPES[version], anyone), version) for name in names]
    return Workload(frames, located_subnets(oracle, version, clients), anyone.prefixlen // 8)


def single(message: bytes, version: int = 4, port: int = 53) -> Workload:
    """One query, always the same."""
    return Workload([packet(message, version, port)], [b""])


def cookie_of(lab: Lab) -> bytes:
    """What the server gives the lab's client: its own eight bytes and the server's sixteen (RFC 9018)."""
    with lab.client_socket(4, CLIENT[4]) as asking:
        asking.send(wire.query(7, NAME, wire.A, cookie=bytes(range(1, 9))))
        return wire.parse(asking.recv(1500)).cookie or b""


def plain_query(name: str, type: int = wire.A) -> bytes:
    """A query without OPT."""
    return struct.pack("!HHHHHH", 7, 0x0100, 1, 0, 0, 0) + wire.encode_name(name) + struct.pack("!HH", type, 1)


def of_program_time(oracle: Oracle, cookie: bytes) -> dict[str, Workload]:
    """What the program's time is measured for, by figure; `cookie` is the client's, whole and valid."""
    return {
        "tailored_hot_ns": tailored(oracle, [NAME], 1),
        "tailored_set_ns": tailored(oracle, NAMES, CLIENTS),
        "tailored_names_ns": tailored(oracle, NAMES, 1),
        "tailored_clients_ns": tailored(oracle, [NAME], CLIENTS),
        "tailored_hot_v6_ns": tailored(oracle, [NAME], 1, 6),
        "tailored_set_v6_ns": tailored(oracle, NAMES, CLIENTS, 6),
        "tailored_hot_edns_ns": single(wire.query(7, NAME, wire.A)),
        "tailored_hot_cookie_ns": single(wire.query(7, NAME, wire.A, cookie=cookie)),
        "tailored_hot_noecs_ns": single(plain_query(NAME)),
        "declined_name_ns": single(wire.query(7, "x.hostmaster.example.com", wire.A)),
        "declined_port_ns": single(wire.query(7, NAME, wire.A), port=5353),
    }
