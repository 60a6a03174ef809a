"""Other programs that the tools start."""
import subprocess

PATIENCE_S = 15


def end(process: subprocess.Popen) -> None:
    """SIGTERM, and SIGKILL when it does not listen."""
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
