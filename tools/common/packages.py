"""Debian packages that a target of the Makefile needs; `tools/setup` lists and installs them."""
import subprocess
from pathlib import Path

from console import Failure

SETUP = Path(__file__).resolve().parent.parent / "setup"


def require(target: str) -> None:
    """Fails where a package is missing that `make TARGET` needs."""
    listed = subprocess.run([SETUP, "--with", target, "--missing"], capture_output=True, text=True, check=True).stdout
    if missing := listed.split():
        raise Failure(f"missing: {', '.join(missing)}; install them by `tools/setup --with {target}`")
