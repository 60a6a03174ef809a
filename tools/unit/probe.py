"""Tries to write where the daemon must not, and prints as JSON where it succeeded. Runs as the daemon's user, in its sandbox."""
import glob
import json
import os
import sys

LONGEST = 40_000


def writable(paths) -> list[str]:
    """Those that can be opened for writing; nothing is written."""
    found = []
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            found.append(path)
        except OSError:
            pass
    return found


def below(top: str):
    """Files there, but not of the BPF file system."""
    count = 0
    for folder, folders, files in os.walk(top):
        if folder == "/sys/fs":
            folders[:] = [name for name in folders if name != "bpf"]
        for name in files:
            count += 1
            if count > LONGEST:
                return
            yield f"{folder}/{name}"


def makeable(folders) -> list[str]:
    found = []
    for folder in folders:
        path = f"{folder}/nearcast-probe"
        try:
            os.mkdir(path)
            os.rmdir(path)
            found.append(folder)
        except OSError:
            pass
    return found


def removable(path: str) -> list[str]:
    try:
        os.rename(path, path + "-moved")
        os.rename(path + "-moved", path)
        return [path]
    except OSError:
        return []


# What systemd has in a private /dev; ptmx makes a new terminal of one's own.
harmless = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx")}
print(json.dumps({
    "/proc/sys/kernel/core_pattern": writable(["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"]),
    "/proc/sys": writable(below("/proc/sys")),
    "disks": writable(glob.glob("/dev/sd*") + glob.glob("/dev/vd*") + glob.glob("/dev/nvme*") + glob.glob("/dev/loop*")),
    "/dev": writable(path for path in below("/dev") if path not in harmless and not os.path.islink(path)) + makeable(["/dev"]),
    "/sys": writable(below("/sys")) + makeable(["/sys/fs/cgroup", "/sys/kernel"]),
    "the system": makeable(["/", "/etc", "/etc/nearcast", "/usr", "/usr/local/sbin", "/var/lib", "/run"])
    + writable(["/etc/nearcast/nearcast.yaml", "/usr/local/lib/nearcast/nearcastd"]),
    "pins of others": removable("/sys/fs/bpf/other") + makeable(["/sys/fs/bpf"]),
}))
