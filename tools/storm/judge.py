"""Checks answers of both paths: each has one version, between the last acknowledged and the last requested."""
import ipaddress
import random
import struct
import time

import wire
from asking import ask, ask_stream
from background import Crew
from lab import Lab
from world import ORIGIN, PAIRS, World

MX = 15
FIRST_PORT = 1200
PAUSE_S = 0.001


class Judge(Crew):
    """Asks while a `with` block runs: one thread the program, over UDP, and one user space, over TCP."""

    def __init__(self, lab: Lab, stage: World, singles: int):
        self.lab, self.stage, self.singles = lab, stage, singles
        self.counts = {name: 0 for name in ("mixed", "stale", "wrong", "unanswered")}
        self.asked = {"udp": 0, "tcp": 0}
        self.examples: dict[str, str] = {}
        super().__init__(self._run, [(way,) for way in self.asked])

    def findings(self) -> dict[str, int]:
        return self.counts

    def note(self, name: str) -> str:
        return self.examples.get(name, f"of {self.asked['udp']:,} over UDP and {self.asked['tcp']:,} over TCP")

    def _find(self, name: str, what: str) -> None:
        self.counts[name] += 1
        self.examples.setdefault(name, what)

    def _run(self, way: str) -> None:
        dice = random.Random(way)
        client = self.lab.client_socket(4, source_port=FIRST_PORT) if way == "udp" else None
        while not self.stopping.is_set():
            kind, type = dice.choice([("m", MX), ("s", wire.A), ("h", wire.A)])
            number = dice.randrange({"m": PAIRS, "s": self.singles, "h": self.stage.names}[kind])
            name = f"{kind}{number}"
            floor, _ = self.stage.bounds(name)
            question = wire.query(dice.randrange(65_536), f"{name}.{ORIGIN}", type)
            try:
                answer = self._ask(client, question)
            except OSError as error:
                self._find("unanswered", f"{way}: {name}: {error}")
                continue
            self.asked[way] += 1
            self._judge(way, kind, name, number, floor, answer)
            time.sleep(PAUSE_S)

    def _ask(self, client, question: bytes) -> bytes:
        return ask(client, question) if client else ask_stream(self.lab, question)

    def _judge(self, way: str, kind: str, name: str, number: int, floor: int, answer: bytes) -> None:
        preferences, addresses = records(answer)
        if kind == "h":
            if set(addresses) - self.stage.stable(number) or len(addresses) != 1:
                self._find("wrong", f"{way}: {name}: {addresses}")
            return
        _, ceiling = self.stage.bounds(name)
        versions = [int(ipaddress.ip_address(text)) & 0xFFFFFF for text in addresses]
        if kind == "m" and versions and preferences != [versions[0] & 0xFFFF]:
            self._find("mixed", f"{way}: {name}: preference {preferences}, address of version {versions}")
        version = versions[0] if versions else 0
        if len(versions) > 1 or version > ceiling:
            self._find("wrong", f"{way}: {name}: version {versions} of {ceiling}")
        elif version < floor:
            self._find("stale", f"{way}: {name}: version {version}, {floor} was acknowledged before it was asked for")


def records(message: bytes) -> tuple[list[int], list[str]]:
    """Preferences of mail servers, and addresses, in all sections."""
    counts = struct.unpack_from("!HHH", message, 6)
    at = wire._skip_name(message, 12) + 4
    preferences, addresses = [], []
    for _ in range(sum(counts)):
        at = wire._skip_name(message, at)
        type, _, _, length = struct.unpack_from("!HHIH", message, at)
        data = message[at + 10:at + 10 + length]
        at += 10 + length
        if type == MX:
            preferences.append(struct.unpack_from("!H", data)[0])
        elif type == wire.A and not str(ipaddress.ip_address(data)).startswith("192.0.2."):
            addresses.append(str(ipaddress.ip_address(data)))
    return preferences, addresses
