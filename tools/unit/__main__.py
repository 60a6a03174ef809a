"""Runs the daemon as its systemd unit does: the score of the unit, and its user, capabilities and sandbox without systemd.

The test installs into a folder, mounts it in a namespace as the unit's settings require, and runs the daemon there with the
unit's user, capabilities and system calls: attach in native mode, answer, reload, hand over, stop, and fail to write elsewhere."""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(1, str(HERE.parent / "common"))
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

from booted import Booted, BootedTrial
from console import Failure, heading, say
from ending import told
from lab import Lab, check_host
from sandbox import Sandbox
from trial import Trial

# Of ten. What is left: the world's packets (AF_INET, the host's network, no list of addresses), the capabilities and `bpf`.
EXPOSURE = 1.7


def render(folder: Path) -> Path:
    unit = folder / "nearcastd.service"
    unit.write_text((ROOT / "packaging" / "nearcastd.service.in").read_text().replace("@PREFIX@", "/usr/local"))
    return unit


def score() -> None:
    """Fails when the unit is more exposed than the bound, by systemd's own count."""
    with tempfile.TemporaryDirectory(prefix="nearcast-unit-") as name:
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE * 10:.0f}",
                               "--no-pager", render(Path(name))], capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise Failure(f"systemd-analyze failed: {done.stderr.strip()}")
    say(lines[-1].strip("→ "))
    if done.returncode:
        for line in lines:
            if line.startswith("✗"):
                say(line)
        raise Failure(f"the unit is more exposed than {EXPOSURE}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/unit", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--score", action="store_true", help="only the score of systemd-analyze; needs no root and no binaries")
    parser.add_argument("--systemd", action="store_true", help="use a real systemd as process 1 of namespaces, and keys from LoadCredential")
    parser.add_argument("--without", metavar="CAPABILITY", default="", help="run without this capability, to see what fails")
    parser.add_argument("--drop", metavar="SETTING", default="", help="run without this line of the unit, to see what fails")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-unit"), help="prefix of the names of namespaces")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    with told("unit"):
        heading("Exposure of the unit by systemd-analyze")
        score()
        if options.score:
            return
        heading("The daemon as the unit runs it")
        check_host(options.database)
        kind, trial = (Booted, BootedTrial) if options.systemd else (Sandbox, Trial)
        with Lab(options.prefix) as lab, kind(lab, options.binaries, options.database, options.without, options.drop) as sandbox:
            failures = trial(lab, sandbox).run()
    for failure in failures:
        say(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


main()
