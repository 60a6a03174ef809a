"""Sends one query, and returns the bytes of its reply."""
import socket
import struct

from lab import Lab


def ask(client: socket.socket, question: bytes) -> bytes:
    """Over a connected UDP socket."""
    client.send(question)
    # A late reply to an earlier query may still arrive.
    while (answer := client.recv(4096))[:2] != question[:2]:
        pass
    return answer


def ask_stream(lab: Lab, question: bytes) -> bytes:
    """Over a TCP connection of its own: user space's answer, and so the definition's."""
    with lab.client_socket(4, kind=socket.SOCK_STREAM) as client:
        client.sendall(struct.pack("!H", len(question)) + question)
        data = bytearray()
        while len(data) < 2 or len(data) < 2 + int.from_bytes(data[:2]):
            piece = client.recv(4096)
            if not piece:
                raise ConnectionError("closed without an answer")
            data += piece
    return bytes(data[2:])
