"""The measuring programs, compiled into the cache folder when their sources are newer."""
import os
import platform
import shutil
import subprocess
from pathlib import Path

from console import Failure

SOURCES = Path(__file__).resolve().parent / "c"
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast")) / "bench"
# What is measured is included from there.
INCLUDED = [SOURCES.parent.parent.parent / "bpf", SOURCES.parent.parent.parent / "bpf" / "abi"]
HOST = {"timing": ["-lbpf"], "flood": ["-lbpf"], "location": ["-lbpf"], "addresses": ["-lmaxminddb"], "answer": []}
BPF = ("timing", "flood", "reflect", "location")


def _clang() -> str:
    """The Swift toolchain's, as for the daemon's own program."""
    swift = shutil.which("swift")
    beside = Path(swift).resolve().parent / "clang" if swift else None
    return str(beside) if beside and beside.exists() else "clang"


def _compile(output: Path, command: list[str]) -> None:
    newest = max(source.stat().st_mtime for folder in [SOURCES, *INCLUDED] for source in folder.iterdir())
    if output.exists() and output.stat().st_mtime > newest:
        return
    done = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"cannot compile {output.name}:\n{done.stderr}")


def build() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in BPF:
        include = f"/usr/include/{platform.machine()}-linux-gnu"
        _compile(program(name), [_clang(), "-O2", "-g", "-target", "bpf", "-mcpu=v3", "-isystem", include, "-c",
                                 str(SOURCES / f"{name}.bpf.c")])
    for name, libraries in HOST.items():
        _compile(tool(name), ["cc", "-O2", "-Wall", str(SOURCES / f"{name}.c"), *libraries])


def tool(name: str) -> Path:
    return CACHE / name


def program(name: str) -> Path:
    return CACHE / f"{name}.bpf.o"
