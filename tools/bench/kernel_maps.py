"""Pinned maps, read through libbpf: the daemon need not be asked, nor be ready."""
import ctypes
import os
from pathlib import Path

from console import Failure
from server import PINS

ANSWERED = 0  # enum nc_counter, bpf/abi/counters.h
GENERATIONS = 2

_libbpf: ctypes.CDLL | None = None


def call(name: str, *arguments) -> int:
    """A libbpf function; raises OSError when its result is negative."""
    global _libbpf
    if _libbpf is None:
        _libbpf = ctypes.CDLL("libbpf.so.1", use_errno=True)
    result = getattr(_libbpf, name)(*arguments)
    if result < 0:
        raise OSError(-result, f"{name}: {os.strerror(-result)}")
    return result


def folder() -> Path | None:
    """Where the running daemon's program and maps are pinned, None as long as there is none."""
    found = [pin.parent for pin in PINS.glob("*/program")]
    return found[0] if found else None


def program() -> Path:
    found = folder()
    if found is None:
        raise Failure(f"no program is pinned under {PINS}")
    return found / "program"


def _possible_cpus() -> int:
    last = Path("/sys/devices/system/cpu/possible").read_text().strip().replace("-", ",").split(",")[-1]
    return int(last) + 1


class Counter:
    """One of the program's counters, over all CPUs."""

    def __init__(self, pins: Path, index: int = ANSWERED):
        self._fd = call("bpf_obj_get", str(pins / "counters").encode())
        self._key = ctypes.c_uint32(index)
        self._values = (ctypes.c_uint64 * _possible_cpus())()

    def read(self) -> int:
        call("bpf_map_lookup_elem", self._fd, ctypes.byref(self._key), ctypes.byref(self._values))
        return sum(self._values)

    def close(self) -> None:
        os.close(self._fd)


def _memory(fd: int) -> int:
    for line in Path(f"/proc/self/fdinfo/{fd}").read_text().splitlines():
        if line.startswith("memlock:"):
            return int(line.split()[1])
    return 0


def _inner_maps(fd: int) -> list[int]:
    """File descriptors of the maps in an array of maps' slots: both may hold the same one."""
    found: dict[int, int] = {}
    for slot in range(GENERATIONS):
        id = ctypes.c_uint32()
        try:
            call("bpf_map_lookup_elem", fd, ctypes.byref(ctypes.c_uint32(slot)), ctypes.byref(id))
            if id.value not in found:
                found[id.value] = call("bpf_map_get_fd_by_id", id)
        except OSError:
            continue
    return list(found.values())


def memory() -> int:
    """Bytes that the pinned maps, and the maps in them, are charged for."""
    pins = folder()
    total = 0
    for pin in pins.iterdir() if pins else []:
        try:
            fd = call("bpf_obj_get", str(pin).encode())
        except OSError:
            continue
        info = Path(f"/proc/self/fdinfo/{fd}").read_text()
        if "map_type:" in info:
            total += _memory(fd)
            for inner in _inner_maps(fd) if "map_type:\t12\n" in info else []:  # BPF_MAP_TYPE_ARRAY_OF_MAPS
                total += _memory(inner)
                os.close(inner)
        os.close(fd)
    return total
