"""A release build of another commit, in a clone in the cache folder."""
import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from console import Failure, waiting

PRODUCTS = ("nearcastd", "nearcast")


@dataclass(frozen=True)
class Build:
    """`side` is `base` or `head`, `commit` a short name for people, `binaries` where the two programs are."""

    side: str
    commit: str
    binaries: Path

    def __str__(self) -> str:
        return f"{self.side} ({self.commit})"


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"`git {' '.join(arguments)}` failed: {done.stderr.strip()}")
    return done.stdout.strip()


def head(root: Path, binaries: Path) -> Build:
    """What `make build` built of the working tree, or what the user built elsewhere: nothing says of which commit."""
    if binaries != root / ".build" / "release":
        return Build("head", str(binaries), binaries)
    return Build("head", _git(root, "describe", "--always", "--dirty=, with changes", "--exclude=*"), binaries)


def given(commit: str, binaries: Path) -> Build:
    """Programs of `commit` that the user built."""
    return Build("base", commit, binaries)


def built(root: Path, cache: Path, commit: str) -> Build:
    """Builds `commit`. The clone and what was built in it stay, so that the next build compiles what differs.

    A clone that borrows the repository's objects, and not a worktree, which the repository would have to know of.
    """
    try:
        full = _git(root, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
    except Failure:
        raise Failure(f"the repository has no commit {commit}") from None
    tree = cache / "commits" / hashlib.sha256(str(root).encode()).hexdigest()[:8]
    if not (tree / ".git").exists():
        shutil.rmtree(tree, ignore_errors=True)
        tree.parent.mkdir(parents=True, exist_ok=True)
        _git(root, "clone", "--quiet", "--shared", "--no-checkout", ".", str(tree))
    _git(tree, "checkout", "--quiet", "--force", "--detach", full)
    log = tree.with_suffix(".log")
    with waiting(f"building {commit} in {tree}"), log.open("w") as output:
        for product in PRODUCTS:
            done = subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=tree, stdout=output,
                                  stderr=subprocess.STDOUT)
            if done.returncode:
                tail = "".join(f"\n    | {line}" for line in log.read_text(errors="replace").splitlines()[-10:])
                raise Failure(f"{commit} cannot be built (log: {log}){tail}")
    return Build("base", _git(tree, "describe", "--always", "--exclude=*"), tree / ".build" / "release")
