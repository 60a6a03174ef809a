"""A copy of the repository in which mutants are built and tested, apart from the user's."""
import fcntl
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
# In a mount namespace of its own, the copy stands where the repository is. Build products name absolute paths: those of the
# repository, copied, stay valid. No process that is started here can reach the repository's own files by their path.
IN_PLACE = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", """
    mount --bind "$1" "$2"
    cd "$2"
    if [ "$3" = kernel ]; then
        # Pins and namespaces of tests that are killed go with these mounts.
        mount -t bpf bpf /sys/fs/bpf
        mkdir -p /run/netns
        mount -t tmpfs tmpfs /run/netns
    fi
    shift 3
    exec "$@"
    """, "sh"]
# What a build can reuse at any path, and what it can only reuse at the same one.
DEPENDENCIES = ("checkouts", "repositories", "workspace-state.json")
PRODUCTS = ("build.db", "debug", "debug.yaml", "plugin-tools.yaml", "plugins")
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
    """The copy; what was built in it stays for the next run. Nothing is ever written to the repository."""

    def __init__(self, root: Path, folder: Path):
        self.root, self.folder = root.resolve(), folder.resolve()
        self.is_in_place = os.geteuid() == 0
        if self.root in (self.folder, *self.folder.parents) or self.folder in self.root.parents:
            raise Failure(f"{self.folder} is not apart from the repository: name another folder")

    def copy(self) -> None:
        """Makes the copy what the repository is now. Files that agree are left alone, so that little is built again."""
        there = {path.name for path in self.folder.iterdir()} if self.folder.is_dir() else set()
        if there - {".build"} and (".git" in there or not {"Package.swift", "bpf", "Sources"} <= there):
            raise Failure(f"{self.folder} has other files than a copy: name an empty folder")
        self._lock()
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                check=True, capture_output=True).stdout.decode().split("\0")
        wanted = {Path(name) for name in listed if name and (self.root / name).is_file()}
        if (self.root / "Package.resolved").is_file():
            wanted.add(Path("Package.resolved"))
        for name in wanted:
            if self._write(name, self._adapted(name)):
                # A build that was copied as well takes files of the same age for the same.
                shutil.copystat(self.root / name, self.folder / name)
        for folder, folders, files in os.walk(self.folder):
            if Path(folder) == self.folder:
                folders[:] = [name for name in folders if name != ".build"]
            for path in (Path(folder, name) for name in files):
                if path.relative_to(self.folder) not in wanted:
                    path.unlink()
        if not (self.folder / ".build").exists():
            self._copy_build()

    def _lock(self) -> None:
        """Keeps other runs out of the copy until this process ends."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.lock = self.folder.with_name(self.folder.name + ".lock").open("w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f"another run uses {self.folder}: wait for it, or name another folder") from None

    def _copy_build(self) -> None:
        """Takes over the repository's debug build, sharing its blocks where the file system can."""
        build = self.root / ".build"
        names = list(DEPENDENCIES)
        if self.is_in_place:
            names += PRODUCTS
            names += [path.name for path in build.glob("*") if not path.is_symlink() and (path / "debug").is_dir()]
        (self.folder / ".build").mkdir()
        for name in names:
            if not (build / name).is_symlink() and not (build / name).exists():
                continue
            if (build / name / "debug").is_dir():
                (self.folder / ".build" / name).mkdir()
                name += "/debug"
            subprocess.run(["cp", "-a", "--reflink=auto", build / name, self.folder / ".build" / name], check=True)

    def _adapted(self, name: Path) -> bytes:
        """A file as the copy has it: a mutant may leave a variable without a use, and still compiles."""
        content = (self.root / name).read_bytes()
        if name == Path("Package.swift"):
            content = re.sub(rb"\n *\.treatAllWarnings\(as: \.error\),", b"", content)
            content = content.replace(b", .treatAllWarnings(as: .error)", b"")
            # What Package.swift wants optimized is so in a debug build as well.
            content = content.replace(b"(optimized ? [] : unoptimized)", b'(optimized ? [.unsafeFlags(["-O"])] : unoptimized)')
        elif name.parts[0] == "Plugins":
            content = content.replace(b'"-Werror", ', b"").replace(b', "-Werror"', b"")
        return content

    def _write(self, name: Path, content: bytes) -> bool:
        """Writes a file of the copy, unless it says the same; whether it did."""
        path = self.folder / name
        if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        return True

    def read(self, name: Path) -> str:
        return (self.folder / name).read_text()

    def write(self, name: Path, text: str) -> None:
        if not (self.folder / name).resolve().is_relative_to(self.folder):
            raise Failure(f"{name} leads out of {self.folder}")
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
            return self._test(command, folder, limit, area.needs_root)

    def _test(self, command: list[str], folder: str, limit: float, needs_kernel: bool) -> Outcome:
        begin = time.monotonic()
        process = self._start(command, folder, needs_kernel)
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

    def _start(self, command: list[str], temporary: str | None = None, needs_kernel: bool = False) -> subprocess.Popen:
        variables = {"SWIFT_BACKTRACE": "enable=no"} | ({"TMPDIR": temporary} if temporary else {})
        if self.is_in_place:
            place = [self.folder, self.root, "kernel" if needs_kernel else "plain"]
            command = [*IN_PLACE, *map(str, place), *command]
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
