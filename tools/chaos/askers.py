"""Clients that send queries all the time, and record which node each answer named."""
import random
import time
from dataclasses import dataclass

import wire
from asking import ask, ask_stream
from background import Background
from lab import Lab
from oracle import Oracle
from server import NAME
from stamps import Stamps
from verify import random_networks

# kxdpgun and others take ports from 2000 on; the generator has 40000.
FIRST_PORT = 1300
PAUSE_S = 0.004
STREAM_PAUSE_S = 0.02
STAMPS_PAUSE_S = 0.05
NETWORKS = 2000


@dataclass(frozen=True)
class Sample:
    """An answer named `node` to a client, which sent its query at `sent` (seconds of monotonic time) or later."""

    sent: float
    node: str
    who: str


class Asker(Background):
    """Asks while a `with` block runs, for clients all over the world. `lost` and `empty` hold when."""

    def __init__(self, lab: Lab, oracle: Oracle, title: str, version: int, transport: str, number: int):
        super().__init__()
        self.lab, self.title, self.version, self.transport = lab, title, version, transport
        self.samples: list[Sample] = []
        self.asked = 0
        self.lost: list[tuple[float, str]] = []
        self.empty: list[tuple[float, str]] = []
        self._port = FIRST_PORT + number
        self._networks = random_networks(oracle, version, NETWORKS, seed=number)
        self._names = {address: node.id for address, node in oracle.by_address.items()}
        self._dice = random.Random(number)

    def run(self) -> None:
        client = self.lab.client_socket(4, source_port=self._port) if self.transport == "udp" else None
        while not self.stopping.is_set():
            self.asked += 1
            question = wire.query(self.asked & 0xFFFF, NAME, wire.TYPES[self.version], self._dice.choice(self._networks))
            sent = time.monotonic()
            try:
                reply = wire.parse(ask(client, question) if client else ask_stream(self.lab, question))
            except (OSError, wire.Malformed) as error:
                self.lost.append((sent, str(error)))
                time.sleep(STREAM_PAUSE_S)
                continue
            if reply.rcode or not reply.addresses:
                self.empty.append((sent, f"response code {reply.rcode}, {len(reply.addresses)} addresses"))
            self.samples += [Sample(sent, self._names.get(address, address), self.title) for address in reply.addresses]
            time.sleep(PAUSE_S if client else STREAM_PAUSE_S)


class StampReader(Background):
    """Turns the generator's stamps into samples: of a node, the last answer that named it, twenty times a second."""

    def __init__(self, stamps: Stamps):
        super().__init__()
        self._stamps = stamps
        self.samples: list[Sample] = []

    def run(self) -> None:
        last: dict[str, int] = {}
        while not self.stopping.wait(STAMPS_PAUSE_S):
            for node, stamp in self._stamps.all().items():
                if stamp and last.get(node) != stamp:
                    last[node] = stamp
                    self.samples.append(Sample(stamp / 1e9, node, "load"))
