"""Honest clients with connections of their own: DNS over TCP and TLS, and a node that reports. Each tries again once a second, from
another network.

usage: streams.py, with one line of JSON as input: the namespace `honest`, and the `token` of node r0. Prints `ready`; ends with its input,
and prints what it found as JSON."""
import http.client
import json
import socket
import ssl
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "common"))

import wire
from field import honest_address, socket_in
from honest import BIG, TXT, is_right_text
from lab import SERVER

PAUSE_S, PATIENCE_S = 1.0, 5.0
NETWORKS = 50
REPORTS = 8453


class Client(threading.Thread):
    """`seconds`: of each connect and question that went well; `failures`: what became of the others."""

    def __init__(self, namespace: Path, kind: str, version: int, token: str):
        super().__init__(daemon=True)
        self.namespace, self.kind, self.version, self.token = namespace, kind, version, token
        self.stopping = threading.Event()
        self.seconds: list[float] = []
        self.failures: list[str] = []
        self._context = ssl.create_default_context()
        self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE

    def run(self) -> None:
        number = 0
        while not self.stopping.wait(PAUSE_S):
            number += 1
            began = time.monotonic()
            try:
                self._try(number)
                self.seconds.append(time.monotonic() - began)
            except (OSError, ValueError, http.client.HTTPException) as error:
                self.failures.append(f"{error!r} after {time.monotonic() - began:.2f} s")

    def _try(self, number: int) -> None:
        one = socket_in(self.namespace, socket.AF_INET if self.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
        with one:
            one.settimeout(PATIENCE_S)
            one.bind((honest_address(self.version, number % NETWORKS), 0))
            one.connect((SERVER[self.version], {"tcp": 53, "tls": 853, "report": REPORTS}[self.kind]))
            if self.kind == "report":
                self._report(one)
            elif self.kind == "tls":
                with self._context.wrap_socket(one) as wrapped:
                    self._ask(wrapped)
            else:
                self._ask(one)

    @staticmethod
    def _ask(one: socket.socket) -> None:
        question = wire.query(7, BIG, TXT)
        one.sendall(len(question).to_bytes(2) + question)
        data = bytearray()
        while len(data) < 2 or len(data) < 2 + int.from_bytes(data[:2]):
            piece = one.recv(4096)
            if not piece:
                raise ConnectionError("closed without an answer")
            data += piece
        if not is_right_text(bytes(data[2:])):
            raise ValueError(f"a wrong answer: {data[:40].hex()}")

    def _report(self, one: socket.socket) -> None:
        connection = http.client.HTTPConnection(SERVER[self.version])
        connection.sock = one
        connection.request("POST", "/v1/nodes/r0/report", "{}", {"Authorization": f"Bearer {self.token}"})
        reply = connection.getresponse()
        body = reply.read()
        if reply.status != 200:
            raise ValueError(f"status {reply.status}: {body[:200]!r}")


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    clients = [Client(Path(settings["honest"]), kind, version, settings["token"])
               for kind, versions in (("tcp", (4, 6)), ("tls", (4, 6)), ("report", (4,))) for version in versions]
    for client in clients:
        client.start()
    print("ready", flush=True)
    sys.stdin.read()
    for client in clients:
        client.stopping.set()
    for client in clients:
        client.join(3 * PATIENCE_S)
    print(json.dumps([{"kind": client.kind, "version": client.version, "seconds": client.seconds, "failures": client.failures}
                      for client in clients]))


if __name__ == "__main__":
    main()
