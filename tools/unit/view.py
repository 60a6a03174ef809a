"""usage: view.py TREE UNIT DATABASE: shows what is installed below TREE as the host's own, as the unit's sandbox does, in the mount
namespace that it is started in. Prints `ready`, and holds the namespace until its input ends."""
import os
import subprocess
import sys
from pathlib import Path

from unitfile import Unit

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


def mount(*arguments) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True)


def overlay(target: str, tree: Path, upper: Path) -> None:
    """What is installed there, over the host's own; changes go to memory."""
    for name in ("changed", "work"):
        (upper / target[1:] / name).mkdir(parents=True)
    folder = upper / target[1:]
    mount("-t", "overlay", "overlay", "-o",
          f"lowerdir={tree}{target}:{target},upperdir={folder}/changed,workdir={folder}/work", target)


def adopt_user(tree: Path) -> None:
    """The user and group that the package makes."""
    made = tree / "sysusers"
    (made / "etc").mkdir(parents=True)
    # By its input: a file would be looked for below the other root.
    wanted = (tree / "usr/local/lib/sysusers.d/nearcast.conf").read_bytes()
    subprocess.run(["systemd-sysusers", f"--root={made}", "-"], input=wanted, check=True, capture_output=True)
    for name in ("passwd", "group"):
        with open(f"/etc/{name}", "a") as file:
            file.writelines(line for line in open(made / "etc" / name) if line.startswith("nearcast:"))
    subprocess.run(["systemd-tmpfiles", "--create", tree / "usr/local/lib/tmpfiles.d/nearcast.conf"], check=True)


def folder(path: str, mode: str) -> None:
    """Of the daemon, writable to it, whatever the rest is."""
    Path(path).mkdir()
    mount("-t", "tmpfs", "-o", f"mode={mode}", "tmpfs", path)
    subprocess.run(["chown", "nearcast:nearcast", path], check=True)


def private_devices(upper: Path) -> None:
    kept = upper / "dev"
    kept.mkdir()
    for name in DEVICES:
        (kept / name).touch()
        mount("--bind", f"/dev/{name}", kept / name)
    mount("--rbind", kept, "/dev")


def is_below(point: str, folders: set[str]) -> bool:
    return any(point == folder or point.startswith(folder + "/") for folder in folders)


def read_only(unit: Unit, writable: set[str]) -> None:
    """Mounts, as `ProtectSystem=strict` and the settings beside it have them."""
    tunables = unit.isOn("ProtectKernelTunables")
    protected = set(unit.one("ReadOnlyPaths").split()) | ({"/sys", "/proc/sys"} if tunables else set())
    # systemd names this folder there itself, and its word is above ReadWritePaths.
    spared = writable - ({"/sys/fs/bpf"} if tunables else set())
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        point = line.split()[4].encode().decode("unicode_escape")
        if point in spared or (is_below(point, {"/dev", "/proc", "/sys"}) and not is_below(point, protected)):
            continue
        # One that lies below another is out of sight.
        subprocess.run(["mount", "-o", "remount,bind,ro", point], capture_output=True)


def main() -> None:
    tree, unit, database = Path(sys.argv[1]), Unit(Path(sys.argv[2])), sys.argv[3]
    writable = {path.lstrip("-") for path in unit.one("ReadWritePaths").split()}
    upper = tree.parent / "upper"
    upper.mkdir()
    mount("-t", "tmpfs", "tmpfs", upper)
    for target in ("/etc", "/usr/local"):
        overlay(target, tree, upper)
    # A BPF file system of its own, as it is after the machine's start, with the pins of another program.
    mount("-t", "bpf", "-o", "mode=0700", "bpf", "/sys/fs/bpf")
    Path("/sys/fs/bpf/other").mkdir()
    adopt_user(tree)
    mount("-t", "tmpfs", "-o", "mode=0755", "tmpfs", "/run")
    mount("-t", "tmpfs", "-o", "mode=0755", "tmpfs", "/var/lib")
    for path, mode in ((f"/run/{unit.one('RuntimeDirectory')}", unit.one("RuntimeDirectoryMode")),
                       (f"/var/lib/{unit.one('StateDirectory')}", unit.one("StateDirectoryMode"))):
        folder(path, mode)
        writable.add(path)
    mirror = Path("/var/lib/nearcast/city.mmdb")
    mirror.touch()
    mount("--bind", database, mirror)
    for command in unit.preparations():
        subprocess.run(command.split(), check=True)
    if unit.isOn("PrivateDevices"):
        private_devices(upper)
    options = ["subset=pid"] if unit.one("ProcSubset") == "pid" else []
    options += [f"hidepid={unit.one('ProtectProc')}"] if unit.one("ProtectProc") else []
    if options:
        mount("-t", "proc", "-o", ",".join(options), "proc", "/proc")
    for path in writable:
        # What lies in a file system that becomes read-only.
        if not os.path.ismount(path):
            mount("--bind", path, path)
    if unit.one("ProtectSystem") == "strict":
        read_only(unit, writable)
    print("ready", flush=True)
    sys.stdin.read()


# What is made here is for others to read.
os.umask(0o022)
main()
