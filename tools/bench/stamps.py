"""When the generator last had an answer with each address: of every single reply, however many a second."""
import ctypes
import mmap
import os
import struct
import subprocess
from pathlib import Path

import kernel_maps
from console import Failure
from oracle import Node

STAMPS = 65536  # c/flood.h
MMAPABLE = 1 << 10  # BPF_F_MMAPABLE
# Ethernet, IPv4, UDP, DNS; then type and class behind the name, and what stands before an address in a record whose
# owner is a pointer.
_BEFORE_NAME, _BEHIND_NAME, _BEFORE_ADDRESS = 14 + 20 + 8 + 12, 4, 12


def position(name: str) -> int:
    """Where the first address stands in the frame of a reply about `name`."""
    return _BEFORE_NAME + len(name) + 2 + _BEHIND_NAME + _BEFORE_ADDRESS


def _map_of(pid: int) -> int:
    """A descriptor of the map that the generator writes to: the one of its size that may be mapped."""
    for info in Path(f"/proc/{pid}/fdinfo").iterdir():
        fields = dict(line.split(":\t", 1) for line in info.read_text().splitlines() if ":\t" in line)
        if fields.get("max_entries") == str(STAMPS) and int(fields["map_flags"], 16) & MMAPABLE:
            return kernel_maps.call("bpf_map_get_fd_by_id", ctypes.c_uint32(int(fields["map_id"])))
    raise Failure("the generator has no map of stamps")


class Stamps:
    """Of a running generator, while a `with` block runs."""

    def __init__(self, generator: subprocess.Popen, nodes: list[Node]):
        self._index = {node.id: node.index for node in nodes}
        fd = _map_of(generator.pid)
        self._memory = mmap.mmap(fd, 8 * STAMPS, prot=mmap.PROT_READ)
        os.close(fd)

    def __enter__(self) -> "Stamps":
        return self

    def __exit__(self, *_) -> None:
        self._memory.close()

    def last(self, node: str) -> int:
        """Nanoseconds of CLOCK_MONOTONIC; 0: never."""
        return struct.unpack_from("=Q", self._memory, 8 * self._index[node])[0]

    def word_changed(self) -> int:
        """When the generator saw the word that it watches change last."""
        return struct.unpack_from("=Q", self._memory, 8 * (STAMPS - 1))[0]

    def all(self) -> dict[str, int]:
        return {node: self.last(node) for node in self._index}
