"""What the checks came to: rows of a table, and examples of what failed."""
from dataclasses import dataclass, field

from console import say, table
from kit import Tally

EXAMPLES = 5


@dataclass
class Row:
    check: str
    path: str
    tally: Tally
    log: str
    examples: list[str] = field(default_factory=list)


class Outcome:
    """Rows of the same check and path are added up."""

    def __init__(self):
        self.rows: list[Row] = []

    def add(self, check: str, path: str, tally: Tally, log: str, examples: list[str] = ()) -> None:
        for row in self.rows:
            if (row.check, row.path) == (check, path):
                row.tally += tally
                break
        else:
            self.rows.append(row := Row(check, path, tally, log))
        fresh = list(examples)[: EXAMPLES - len(row.examples)]
        row.examples += fresh
        say(f"{check} ({path}): {tally.passed} passed, {tally.failed} failed, {tally.skipped} judge nobody")
        for example in fresh:
            say(f"    {example}")

    def broken(self, check: str, path: str, reason: str, log: str) -> None:
        """A check that could not be made has failed."""
        self.add(check, path, Tally(0, 1), log, [reason])

    @property
    def failed(self) -> bool:
        return not self.rows or any(row.tally.failed for row in self.rows)

    def text(self) -> str:
        header = ["check", "path", "passed", "failed", "skipped", "log"]
        rows = [[row.check, row.path, *map(str, (row.tally.passed, row.tally.failed, row.tally.skipped)), row.log]
                for row in self.rows]
        return table(header, rows, right=frozenset({"passed", "failed", "skipped"}))
