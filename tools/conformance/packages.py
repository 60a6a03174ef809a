"""Debian's packages that the checks run beside: installed where missing, their services not started."""
import os
import subprocess
from pathlib import Path

from console import Failure, waiting

PROGRAMS = {
    "nsd": "nsd", "knotd": "knot", "named": "bind9", "pdns_server": "pdns-server", "ldns-signzone": "ldnsutils",
    "kdig": "knot-dnsutils", "dnsviz": "dnsviz", "zonemaster-cli": "zonemaster-cli",
}
POLICY = Path("/usr/sbin/policy-rc.d")


def _missing() -> list[str]:
    folders = ["/usr/sbin", "/usr/bin"]
    found = {program for program in PROGRAMS if any(Path(folder, program).exists() for folder in folders)}
    # The database backend of the reference; pdns-server alone cannot read zone files.
    extra = [] if list(Path("/usr/lib").glob("*/pdns/libbindbackend.so")) else ["pdns-backend-bind"]
    return [package for program, package in PROGRAMS.items() if program not in found] + extra


def install(log: Path) -> None:
    """Does nothing where everything is there."""
    missing = _missing()
    if not missing:
        return
    # Debian starts what it installs; 101 tells it not to (invoke-rc.d(8)).
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text("#!/bin/sh\nexit 101\n")
        POLICY.chmod(0o755)
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    try:
        with log.open("ab") as file, waiting(f"installing {', '.join(missing)}"):
            for command in [[*apt, "update"], [*apt, "install", "-y", "--no-install-recommends", *missing]]:
                done = subprocess.run(command, stdout=file, stderr=file,
                                      env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})
                if done.returncode:
                    raise Failure(f"`{' '.join(command)}` failed (log: {log}); install {', '.join(missing)} yourself")
    finally:
        if ours:
            POLICY.unlink()
