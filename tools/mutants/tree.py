"""A copy of the repository in which mutants are built and tested, apart from the user's."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from areas import SKIPPED_TESTS, Area
from console import Failure

BUILD = ["swift", "build", "--build-tests"]
TEST = ["swift", "test", "--skip-build", "--no-parallel"]
# Pins and namespaces of tests that are killed go with the mounts that they were made in.
PRIVATE = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", """
    mount -t bpf bpf /sys/fs/bpf
    mkdir -p /run/netns
    mount -t tmpfs tmpfs /run/netns
    exec "$@"
    """, "sh"]
ISSUE = re.compile(r'^✘ (?:Test|Suite) (".*?"|\S+) .*recorded an issue')
COUNT = re.compile(r"Test run with (\d+) tests")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Outcome:
    """What became of a test run: `issue` is the first test that failed."""

    status: int
    seconds: float
    tests: int
    issue: str = ""
    is_hung: bool = False

    @property
    def passed(self) -> bool:
        return self.status == 0 and not self.issue and not self.is_hung


class Tree:
    """The copy; what was built in it stays for the next run."""

    def __init__(self, root: Path, folder: Path):
        self.root, self.folder = root, folder

    def copy(self) -> None:
        """Makes the copy what the repository is now. Files that agree are left alone, so that little is built again."""
        there = {path.name for path in self.folder.iterdir()} if self.folder.is_dir() else set()
        if there - {".build"} and (".git" in there or not {"Package.swift", "bpf", "Sources"} <= there):
            raise Failure(f"{self.folder} has other files than a copy: name an empty folder")
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                check=True, capture_output=True).stdout.decode().split("\0")
        wanted = {Path(name) for name in listed if name and (self.root / name).is_file()}
        if (self.root / "Package.resolved").is_file():
            wanted.add(Path("Package.resolved"))
        for name in wanted:
            self._write(name, self._adapted(name))
            shutil.copymode(self.root / name, self.folder / name)
        for folder, folders, files in os.walk(self.folder):
            if Path(folder) == self.folder:
                folders[:] = [name for name in folders if name != ".build"]
            for path in (Path(folder, name) for name in files):
                if path.relative_to(self.folder) not in wanted:
                    path.unlink()

    def _adapted(self, name: Path) -> bytes:
        """A file as the copy has it: a mutant may leave a variable without a use, and still compiles."""
        content = (self.root / name).read_bytes()
        if name == Path("Package.swift"):
            content = re.sub(rb"\n *\.treatAllWarnings\(as: \.error\),", b"", content)
            content = content.replace(b", .treatAllWarnings(as: .error)", b"")
        elif name.parts[0] == "Plugins":
            content = content.replace(b'"-Werror", ', b"").replace(b', "-Werror"', b"")
        return content

    def _write(self, name: Path, content: bytes) -> None:
        path = self.folder / name
        if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(content)

    def read(self, name: Path) -> str:
        return (self.folder / name).read_text()

    def write(self, name: Path, text: str) -> None:
        self._write(name, text.encode())

    def build(self, limit: float) -> str:
        """Builds; what is wrong, or nothing."""
        process = self._start(BUILD)
        with _Limit(process, limit) as late:
            output, _ = process.communicate()
        if late.is_over:
            return f"the build took more than {limit:.0f} s"
        if process.returncode == 0:
            return ""
        errors = [line for line in output.splitlines() if "error:" in line]
        return errors[0] if errors else output[-400:] or f"status {process.returncode}"

    def test(self, area: Area, limit: float) -> Outcome:
        """Runs an area's tests until one fails, or the time is over."""
        command = TEST + [word for test in area.tests for word in ("--filter", rf"^{test}\.|^\w+\.{test}/")]
        command += [word for test in SKIPPED_TESTS for word in ("--skip", test)]
        with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as folder:
            return self._test((PRIVATE if area.needs_root else []) + command, folder, limit)

    def _test(self, command: list[str], folder: str, limit: float) -> Outcome:
        begin = time.monotonic()
        process = self._start(command, folder)
        issue, tests = "", 0
        with _Limit(process, limit) as late:
            for line in process.stdout:
                line = COLOURS.sub("", line)
                if match := ISSUE.match(line):
                    issue = match[1].strip('"')
                    _kill(process)
                    break
                if match := COUNT.search(line):
                    tests = int(match[1])
            process.stdout.close()
            status = process.wait()
        return Outcome(status, time.monotonic() - begin, tests, issue, late.is_over and not issue)

    def _start(self, command: list[str], temporary: str | None = None) -> subprocess.Popen:
        variables = {"SWIFT_BACKTRACE": "enable=no"} | ({"TMPDIR": temporary} if temporary else {})
        return subprocess.Popen(["nice", *command], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace", start_new_session=True,
                                env=os.environ | variables)

    def require(self, area: Area, limit: float) -> Outcome:
        """The tests' outcome without a mutation, which has to be good."""
        outcome = self.test(area, limit)
        if outcome.is_hung:
            raise Failure(f"the tests of {area.name} took more than {limit:.0f} s without a mutation")
        if outcome.tests == 0 and not outcome.issue:
            raise Failure(f"no test matches those of area {area.name}: correct tools/mutants/areas.py")
        if not outcome.passed:
            raise Failure(f"the tests of {area.name} fail without a mutation: {outcome.issue or f'status {outcome.status}'}")
        return outcome


class _Limit:
    """Kills a process, and what it started, when its time is over or the block is left by an exception."""

    def __init__(self, process: subprocess.Popen, seconds: float):
        self.process, self.is_over = process, False
        self.timer = threading.Timer(seconds, self._end)

    def _end(self) -> None:
        self.is_over = True
        _kill(self.process)

    def __enter__(self) -> "_Limit":
        self.timer.start()
        return self

    def __exit__(self, kind, *_) -> None:
        self.timer.cancel()
        if kind:
            _kill(self.process)


def _kill(process: subprocess.Popen) -> None:
    # Not reaped yet, so that the number is still its own.
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
