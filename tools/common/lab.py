"""The lab of two network namespaces: tools/lab creates it, and sockets are opened inside."""
import ctypes
import os
import socket
import subprocess
import threading
from pathlib import Path

from console import Failure, say

SERVER = {4: "192.0.2.53", 6: "2001:db8:53::53"}
SERVER_LINK = "ncs0"
_LAB = Path(__file__).resolve().parent.parent / "lab" / "lab"
_CLONE_NEWNET = 0x40000000


def check_host(database: Path) -> None:
    """Refuses a host on which the lab or the daemon cannot work."""
    if os.geteuid():
        raise Failure("needs root: namespaces and XDP")
    if not database.exists():
        raise Failure(f"{database} is missing: `make setup` downloads it")
    if not os.path.ismount("/sys/fs/bpf"):
        say("mounting the BPF file system on /sys/fs/bpf")
        subprocess.run(["mount", "-t", "bpf", "bpf", "/sys/fs/bpf"], check=True)


class Lab:
    """Two namespaces, while a `with` block runs (longer when `keep` is set)."""

    def __init__(self, prefix: str):
        self.prefix = prefix
        self.keep = False

    def __enter__(self) -> "Lab":
        subprocess.run([_LAB, "--prefix", self.prefix, "up"], check=True)
        return self

    def __exit__(self, *_) -> None:
        if not self.keep:
            self.down()

    def down(self) -> None:
        subprocess.run([_LAB, "--prefix", self.prefix, "down"], check=True)

    def namespace(self, side: str) -> Path:
        """`side` is `srv` or `cli`."""
        return Path("/run/netns") / f"{self.prefix}-{side}"

    def command(self, side: str, *arguments) -> list[str]:
        """A command line that runs there, with /sys/fs/bpf in sight."""
        return ["nsenter", f"--net={self.namespace(side)}", "--", *map(str, arguments)]

    def add_clients(self, addresses: list[str]) -> None:
        subprocess.run([_LAB, "--prefix", self.prefix, "client", *addresses], check=True)

    def client_socket(self, version: int, source: str = "", port: int = 53, source_port: int = 0,
                      kind: int = socket.SOCK_DGRAM) -> socket.socket:
        """A UDP socket (or of another `kind`) of the client side, connected to the server; `source` is one of the
        client's addresses.

        A socket stays in the namespace it was made in; `setns` binds a thread, so a short-lived one makes it.
        """
        made: list[socket.socket | OSError] = []

        def make() -> None:
            libc = ctypes.CDLL(None, use_errno=True)
            with open(self.namespace("cli")) as namespace:
                if libc.setns(namespace.fileno(), _CLONE_NEWNET):
                    made.append(OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno())))
                    return
            family = socket.AF_INET if version == 4 else socket.AF_INET6
            made.append(socket.socket(family, kind))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if isinstance(made[0], OSError):
            raise made[0]
        made[0].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        made[0].settimeout(1.0)
        if source or source_port:
            made[0].bind((source, source_port))
        made[0].connect((SERVER[version], port))
        return made[0]
