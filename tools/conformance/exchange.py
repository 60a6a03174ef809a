"""Messages to a server, seen from the namespace `cf`, as bytes."""
import contextlib
import ctypes
import os
import socket
import struct

TIMEOUT_S = 2
_CLONE_NEWNET = 0x40000000


def _enter(namespace) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextlib.contextmanager
def inside():
    """Within the block this thread's new sockets are in `cf`, as are commands and threads that it starts."""
    with open("/proc/thread-self/ns/net") as home, open("/run/netns/cf") as namespace:
        _enter(namespace)
        try:
            yield
        finally:
            _enter(home)


def over_udp(packet: bytes, server: str, timeout: float = TIMEOUT_S) -> bytes | None:
    """The reply with this packet's id; None when none came."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(timeout)
        client.connect((server, 53))
        client.send(packet)
        try:
            while (reply := client.recv(65535))[:2] != packet[:2]:
                pass
            return reply
        except OSError:
            return None


def _exactly(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = client.recv(count - len(data))
        if not piece:
            raise ConnectionError("closed")
        data += piece
    return data


def over_tcp(packet: bytes, server: str, timeout: float = TIMEOUT_S) -> bytes | None:
    """The reply on a connection of its own; None when none came."""
    try:
        with socket.create_connection((server, 53), timeout=timeout) as client:
            client.sendall(struct.pack("!H", len(packet)) + packet)
            return _exactly(client, struct.unpack("!H", _exactly(client, 2))[0])
    except OSError:
        return None
