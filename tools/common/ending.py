"""How the tools end: on any signal or failure the `with` blocks clean up, and a failure is printed in one line."""
import contextlib
import signal
import subprocess
import sys

from console import Failure


@contextlib.contextmanager
def told(tool: str):
    """Runs the body of `tool`; SIGTERM and SIGHUP end it as Ctrl-C does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        yield
    except Failure as failure:
        sys.exit(f"\n{tool}: error: {failure}")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"\n{tool}: error: `{' '.join(map(str, failed.cmd))}` failed with status {failed.returncode}")
    except KeyboardInterrupt:
        sys.exit(f"\n{tool}: interrupted")
