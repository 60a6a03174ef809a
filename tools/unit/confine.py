"""usage: confine.py FILE COMMAND...: runs the command with what FILE (JSON) says: `calls`, the system calls that are allowed
(others fail with EPERM), `umask`, and `deny_write_execute`."""
import ctypes
import errno
import json
import os
import sys
from pathlib import Path

SCMP_ACT_ALLOW, SCMP_ACT_ERRNO = 0x7FFF0000, 0x00050000
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1


def allow_only(calls: list[str]) -> None:
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    filter = ctypes.c_void_p(seccomp.seccomp_init(SCMP_ACT_ERRNO | errno.EPERM))
    for name in calls:
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        # Negative: of another architecture, or newer than the library.
        if number >= 0 and seccomp.seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0):
            sys.exit(f"confine: no rule for {name}")
    if seccomp.seccomp_load(filter):
        sys.exit("confine: the filter was not loaded")


settings = json.loads(Path(sys.argv[1]).read_text())
os.umask(settings["umask"])
# Linux 6.3; the unit does the same by a filter on any kernel.
if settings["deny_write_execute"]:
    ctypes.CDLL(None).prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)
allow_only(settings["calls"])
os.execv(sys.argv[2], sys.argv[2:])
