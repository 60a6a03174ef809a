"""Reads the node words in the kernel: each change of a node's state, with its time."""
import mmap
import os
import struct
import time
from dataclasses import dataclass

import kernel_maps
from background import Background

PIN = "node_words"
BYTES = 8 * 4096  # struct nc_words of bpf/abi/node.h begins with them
STATES = ("unknown", "up", "degraded", "down", "drained", "maintenance")
USABLE = ("up", "degraded")
PAUSE_S = 0.0005
REOPEN_S = 0.1


@dataclass(frozen=True)
class Seen:
    """A node's state is `state` at `after` seconds of monotonic time, and was another at `before`."""

    before: float
    after: float
    node: str
    state: str


class Words(Background):
    """Watches while a `with` block runs. `slots`: ids by slot."""

    def __init__(self, slots: dict[int, str]):
        super().__init__()
        self.slots = slots
        self.seen: list[Seen] = []
        self._map: tuple[int, mmap.mmap] | None = None
        self.longest_pause = 0.0

    def state(self, node: str) -> str:
        """As seen last."""
        return next((change.state for change in reversed(self.seen) if change.node == node), "unknown")

    def _open(self) -> None:
        """The map of the program in use: a daemon that starts may make another."""
        pins = kernel_maps.folder()
        if pins is None:
            return
        try:
            fd = kernel_maps.call("bpf_obj_get", str(pins / PIN).encode())
        except OSError:
            return  # between one folder and the next
        with os.fdopen(fd, "rb", closefd=True):
            info = open(f"/proc/self/fdinfo/{fd}").read()
            number = int(next(line.split()[1] for line in info.splitlines() if line.startswith("map_id")))
            if self._map is None or self._map[0] != number:
                if self._map:
                    self._map[1].close()
                self._map = (number, mmap.mmap(fd, BYTES, prot=mmap.PROT_READ))

    def run(self) -> None:
        size = 8 * (1 + max(self.slots))
        last, states, before, opened = b"", {}, time.monotonic(), 0.0
        while not self.stopping.is_set():
            if time.monotonic() - opened > REOPEN_S:
                self._open()
                opened = time.monotonic()
            if self._map is None:
                time.sleep(REOPEN_S)
                continue
            began, words = time.monotonic(), self._map[1][:size]
            if words != last:
                after = time.monotonic()
                for slot, node in self.slots.items():
                    state = STATES[struct.unpack_from("=Q", words, 8 * slot)[0] & 0xFF]
                    if states.get(node) != state:
                        states[node] = state
                        self.seen.append(Seen(before, after, node, state))
                last = words
            self.longest_pause = max(self.longest_pause, began - before)
            before = began
            time.sleep(PAUSE_S)
