"""The nodes' servers: TCP, HTTP, HTTPS and DNS at each address, each healthy or faulty.

usage: node_servers.py FOLDER ADDRESS...; FOLDER has the certificates. A line of standard input, as
{"address": "198.18.0.1", "mode": "killed"}, sets how all servers of an address behave, and is repeated when they do.
Ends with its input.
"""
import asyncio
import contextlib
import json
import os
import socket
import ssl
import sys
from pathlib import Path

import certificates
import ports

BACKLOG = 4096
PIECE = b"x" * 16384


def _http(status: str, body: str, more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{more}\r\n{body}".encode()


PAGES = {
    "wrong": _http("503 Service Unavailable", "ok"),
    "misworded": _http("200 OK", "all is lost"),
    "circular": _http("302 Found", "ok", f"Location: {ports.PATH}\r\n"),
}
WELL = _http("200 OK", "ok")


class Host:
    """All servers of one address."""

    def __init__(self, address: str, contexts: dict[str, ssl.SSLContext]):
        self.address, self.contexts, self.mode = address, contexts, "killed"
        self._listeners: dict[int, socket.socket] = {}
        self._writers: set[asyncio.StreamWriter] = set()

    def use(self, mode: str) -> None:
        """`killed`: no server listens, and connections are reset. `frozen`: connections are made, by the kernel, and that
        is all. Else how it answers; `well`, or one of the words below."""
        self.mode = mode
        if mode == "killed":
            return self._kill()
        for port in (ports.TCP, ports.HTTP, ports.HTTPS, ports.DNS):
            if port not in self._listeners:
                self._listeners[port] = self._listen(port)
        loop = asyncio.get_running_loop()
        for port, listener in self._listeners.items():
            loop.remove_reader(listener)
            if mode != "frozen":
                loop.add_reader(listener, self._answer if port == ports.DNS else self._accept, port)

    def _kill(self) -> None:
        for listener in self._listeners.values():
            asyncio.get_running_loop().remove_reader(listener)
            listener.close()
        self._listeners = {}
        for writer in self._writers:
            writer.transport.abort()

    def _listen(self, port: int) -> socket.socket:
        listener = socket.socket(type=socket.SOCK_DGRAM if port == ports.DNS else socket.SOCK_STREAM)
        listener.setblocking(False)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self.address, port))
        if port != ports.DNS:
            listener.listen(BACKLOG)
        return listener

    # MARK: DNS

    def _answer(self, port: int) -> None:
        with contextlib.suppress(OSError):
            while True:
                query, client = self._listeners[port].recvfrom(4096)
                code = 2 if self.mode in ("wrong", "misworded") else 0
                self._listeners[port].sendto(query[:2] + bytes([0x84, code]) + query[4:], client)

    # MARK: connections

    def _accept(self, port: int) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listeners[port].accept()
                connection.setblocking(False)
                asyncio.ensure_future(self._serve(port, connection))

    async def _serve(self, port: int, connection: socket.socket) -> None:
        reader = asyncio.StreamReader()
        context = self.contexts.get(self.mode, self.contexts["good"]) if port == ports.HTTPS else None
        try:
            transport, protocol = await asyncio.get_running_loop().connect_accepted_socket(
                lambda: asyncio.StreamReaderProtocol(reader), connection, ssl=context)
        except (OSError, ssl.SSLError):
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, asyncio.get_running_loop())
        self._writers.add(writer)
        with contextlib.suppress(OSError, ssl.SSLError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await (self._greet(writer) if port == ports.TCP else self._reply(reader, writer))
        self._writers.discard(writer)
        writer.close()

    async def _greet(self, writer: asyncio.StreamWriter) -> None:
        writer.write(b"busy\r\n" if self.mode in ("wrong", "misworded") else ports.GREETING.encode() + b"\r\n")
        await writer.drain()

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if self.mode == "endless":
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while True:
                writer.write(PIECE)
                await writer.drain()
        writer.write(PAGES.get(self.mode, WELL))
        await writer.drain()


def _context(folder: Path, kind: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{kind}.pem", folder / f"{kind}.key")
    return context


async def main(folder: Path, addresses: list[str]) -> None:
    contexts = {kind: _context(folder, kind) for kind in certificates.KINDS}
    hosts = {address: Host(address, contexts) for address in addresses}
    for host in hosts.values():
        host.use("well")
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print("ready", flush=True)
    while line := await lines.readline():
        what = json.loads(line)
        hosts[what["address"]].use(what["mode"])
        print(line.decode(), end="", flush=True)


# Others' work on this machine must not look like a failure of theirs.
os.nice(-15)
with contextlib.suppress(OSError):
    Path("/proc/self/autogroup").write_text("-15")
asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
