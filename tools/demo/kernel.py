"""Programs, maps and pins in the kernel: shown while the daemon runs, and gone when it has stopped."""
import json
import subprocess
import time
from pathlib import Path

from console import Failure, say
from lab import SERVER_LINK, Lab
from server import PINS

EXCERPT_LINES = 12


def _bpftool(lab: Lab, *arguments) -> subprocess.CompletedProcess:
    return subprocess.run(lab.command("srv", "bpftool", *arguments), capture_output=True, text=True)


def attached_programs(lab: Lab) -> list[dict]:
    """The XDP programs on the server's interface, as `bpftool prog show` describes them."""
    nets = json.loads(_bpftool(lab, "-j", "net", "show", "dev", SERVER_LINK).stdout or "[]")
    ids = [entry["id"] for net in nets for entry in net.get("xdp", [])]
    return [json.loads(_bpftool(lab, "-j", "prog", "show", "id", id).stdout) for id in ids]


def _pinned_maps() -> list[Path]:
    """Pins below the layout folders: everything but the link."""
    return sorted(path for path in PINS.glob("*/*") if path.is_file())


def _excerpt(lab: Lab, pins: list[Path]) -> tuple[str, list[str]] | None:
    """The candidate lists: the inner map in the slot in use, dumped with the names of its fields."""
    for pin in (pin for pin in pins if pin.name == "lists"):
        slot = json.loads(_bpftool(lab, "-j", "map", "lookup", "pinned", pin, "key", "0", "0", "0", "0").stdout or "{}")
        # Newer versions of bpftool name the inner map, older ones print the bytes of its number.
        inner = slot.get("inner_map_id")
        if inner is None:
            inner = int.from_bytes(bytes(int(byte, 16) for byte in slot.get("value", [])), "little")
        dump = _bpftool(lab, "map", "dump", "id", str(inner))
        if dump.returncode:
            raise Failure(f"bpftool map dump id {inner}: {dump.stderr.strip() or dump.stdout.strip()}")
        if dump.returncode == 0 and dump.stdout.strip():
            return f"id {inner}   # {pin.name}, generation 0", dump.stdout.splitlines()
    return None


def show(lab: Lab) -> list[dict]:
    """Prints `bpftool prog show` and the beginning of a `bpftool map dump`; returns the attached programs."""
    programs = attached_programs(lab)
    if not programs:
        raise Failure(f"no XDP program is attached to {SERVER_LINK}")
    for program in programs:
        say(f"$ bpftool prog show id {program['id']}")
        for line in _bpftool(lab, "prog", "show", "id", program["id"]).stdout.splitlines():
            say(line)
    pins = _pinned_maps()
    say(f"pinned under {PINS}: {', '.join(pin.name for pin in pins)}")
    found = _excerpt(lab, pins)
    if found is None:
        raise Failure(f"bpftool can dump none of the maps pinned under {PINS}")
    pin, lines = found
    say(f"$ bpftool map dump {pin}")
    # Key 0 is the empty backstop: from key 1 on.
    start = next((n - 1 for n, line in enumerate(lines) if '"key": 1' in line), 0)
    for line in lines[start:start + EXCERPT_LINES]:
        say(line)
    if len(lines) > EXCERPT_LINES:
        say(f"… {len(lines) - EXCERPT_LINES:,} more lines")
    return programs


def leftovers(lab: Lab, programs: list[dict]) -> list[str]:
    """What is still there of a stopped demonstration, in words. Programs and maps go after a grace period."""
    for _ in range(30):
        left = [f"{PINS}/{pin.relative_to(PINS)}" for pin in PINS.glob("**/*")] if PINS.exists() else []
        left += [f"namespace {lab.prefix}-{side}" for side in ("srv", "cli") if lab.namespace(side).exists()]
        ids = [("prog", program["id"]) for program in programs]
        ids += [("map", id) for program in programs for id in program.get("map_ids", [])]
        for kind, id in ids:
            if subprocess.run(["bpftool", kind, "show", "id", str(id)], capture_output=True).returncode == 0:
                left.append(f"{kind} {id}")
        if not left:
            return []
        time.sleep(0.1)
    return left
