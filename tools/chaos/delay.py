"""A packet relay: it delays or drops the packets that the kernel routes to its link.

usage: delay.py LINK. A line of standard input, as {"address": "198.18.0.1", "milliseconds": 300, "loss": 0.1}, says what
happens to packets from an address, and is repeated when it holds. Ends with its input.
"""
import fcntl
import heapq
import json
import os
import random
import selectors
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 1, 0x1000
PACKET = 65536


def open_link(name: str) -> int:
    link = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(link, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    subprocess.run(["ip", "link", "set", name, "up"], check=True)
    return link


def relay(link: int) -> None:
    fates: dict[bytes, tuple[float, float]] = {}
    late: list[tuple[float, int, bytes]] = []
    dice, number = random.Random(1), 0
    ready = selectors.DefaultSelector()
    ready.register(link, selectors.EVENT_READ)
    ready.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in ready.select(max(0.0, late[0][0] - time.monotonic()) if late else None):
            if key.fileobj is sys.stdin:
                line = sys.stdin.readline()
                if not line:
                    return
                what = json.loads(line)
                address = bytes(map(int, what["address"].split(".")))
                fates[address] = (what["milliseconds"] / 1e3, what["loss"])
                print(line, end="", flush=True)
                continue
            packet = os.read(link, PACKET)
            delay, loss = fates.get(packet[12:16], (0.0, 0.0))
            if dice.random() >= loss:
                number += 1
                heapq.heappush(late, (time.monotonic() + delay, number, packet))
        while late and late[0][0] <= time.monotonic():
            os.write(link, heapq.heappop(late)[2])


os.nice(-15)
relay(open_link(sys.argv[1]))
