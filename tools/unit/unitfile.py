"""A unit file: the parts of it that matter here."""
import subprocess
from pathlib import Path


class Unit:
    """The settings of `[Service]`, by name, each with all its values."""

    def __init__(self, path: Path):
        self.settings: dict[str, list[str]] = {}
        section = ""
        for line in path.read_text().splitlines():
            if line.startswith("["):
                section = line
            elif section == "[Service]" and line and line[0] not in "#;":
                name, _, value = line.partition("=")
                self.settings.setdefault(name.strip(), []).append(value.strip())

    def all(self, name: str) -> list[str]:
        return self.settings.get(name, [])

    def one(self, name: str) -> str:
        return (self.all(name) or [""])[-1]

    def isOn(self, name: str) -> bool:
        return self.one(name) in ("yes", "true", "on", "1")

    def capabilities(self, name: str) -> list[str]:
        """As setpriv writes them."""
        return [word.removeprefix("CAP_").lower() for word in self.one(name).split()]

    def preparations(self) -> list[str]:
        """Commands of ExecStartPre that run as root, outside the sandbox."""
        return [value[1:] for value in self.all("ExecStartPre") if value.startswith("+")]

    def calls(self) -> list[str]:
        """System calls that the filter allows."""
        allowed: set[str] = set(_members("@default"))
        for value in self.all("SystemCallFilter"):
            named = {name for word in value.lstrip("~").split() for name in _members(word)}
            allowed = allowed - named if value.startswith("~") else allowed | named
        return sorted(allowed)


def _members(word: str) -> list[str]:
    """A call is itself; a set is what systemd says is in it, sets in sets too."""
    if not word.startswith("@"):
        return [word]
    shown = subprocess.run(["systemd-analyze", "syscall-filter", word], capture_output=True, text=True, check=True).stdout
    lines = (line.strip() for line in shown.splitlines() if line.startswith("    "))
    return [name for line in lines if not line.startswith("#") for name in _members(line)]
