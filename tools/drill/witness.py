"""Slow clients that check every answer, one for each path that an answer can take."""
import collections
import ipaddress
import time

import wire
from asking import ask, ask_stream
from background import Background
from console import Failure
from lab import Lab
from server import NAME

# kxdpgun takes all datagrams to ports from 2000 on out of the client's interface.
FIRST_PORT = 1100
PAUSE_S = 0.002
CONNECT_PAUSE_S = 0.01
STATIC = "ns1.example.com"
# An address in each of some countries, and with it the prefix a resolver would send for it.
PREFIXES = [ipaddress.ip_network(text) for text in (
    "81.2.69.0/24", "8.8.8.0/24", "1.1.1.0/24", "200.160.2.0/24", "41.0.0.0/24", "133.11.0.0/24", "202.12.29.0/24",
    "2a02:2e0::/32", "2001:200::/32", "2800:3f0::/32")]


def _questions(name: str) -> list[bytes]:
    return [wire.query(1 + number, name, type, prefix) for number, (prefix, type) in
            enumerate((prefix, type) for prefix in PREFIXES for type in (wire.A, wire.AAAA))]


class Witness(Background):
    """Asks `name` over `transport`, again and again, while a `with` block runs.

    `lost` counts queries without a reply within the socket's timeout, and connections refused or cut. `seen` holds, for
    each question, all answers that came."""

    def __init__(self, lab: Lab, title: str, name: str, transport: str, port: int):
        super().__init__()
        self.lab, self.title, self.transport, self.port = lab, title, transport, port
        self.questions = _questions(name)
        self.seen: dict[bytes, set[bytes]] = collections.defaultdict(set)
        self.asked = self.lost = 0
        self.reasons: collections.Counter[str] = collections.Counter()

    def run(self) -> None:
        client = self.lab.client_socket(4, source_port=self.port) if self.transport == "udp" else None
        while not self.stopping.is_set():
            question = self.questions[self.asked % len(self.questions)]
            self.asked += 1
            try:
                self.seen[question].add(ask(client, question) if client else ask_stream(self.lab, question))
            except OSError as error:
                self.lost += 1
                self.reasons[str(error)] += 1
            time.sleep(PAUSE_S if self.transport == "udp" else CONNECT_PAUSE_S)


def right_answers(lab: Lab, names: list[str]) -> dict[bytes, bytes]:
    """What user space answers now to every witness's questions."""
    answers = {question: ask_stream(lab, question) for name in names for question in _questions(name)}
    if not all(len(answer) > 12 and answer[3] & 15 == 0 for answer in answers.values()):
        raise Failure("the witnesses' queries have no answers: is the configuration right?")
    return answers


def witnesses(lab: Lab) -> list[Witness]:
    return [
        Witness(lab, "program", NAME, "udp", FIRST_PORT),
        Witness(lab, "user space, UDP", STATIC, "udp", FIRST_PORT + 1),
        Witness(lab, "user space, TCP", STATIC, "tcp", 0),
    ]
