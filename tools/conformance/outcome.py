"""Results of the checks: rows of a table, and examples of failures."""
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from console import say, table
from kit import Tally

EXAMPLES = 5
NO_XDP = "XDP sent none of the replies, although the name is tailored: nothing was judged of the fast path"


@dataclass
class Row:
    check: str
    path: str
    tally: Tally
    log: str
    examples: list[str] = field(default_factory=list)
    # Replies that the XDP program sent meanwhile; None if they were not counted.
    by_xdp: int | None = None


class Outcome:
    """Rows of the same check and path are added up."""

    def __init__(self):
        self.rows: list[Row] = []
        self._answers: Callable[[], int] | None = None
        self._needed = False
        self._before = 0

    @contextlib.contextmanager
    def counting(self, answers: Callable[[], int], needed: bool):
        """Within the block each check that is added gets the replies that the program sent since the one before, by the
        counter `answers`; where they are `needed` and there are none, the check has failed."""
        self._answers, self._needed, self._before = answers, needed, answers()
        try:
            yield
        finally:
            self._answers = None

    def _count(self) -> int:
        before, self._before = self._before, self._answers()
        return self._before - before

    def add(self, check: str, path: str, tally: Tally, log: str, examples: list[str] = (),
            asks: bool = True) -> None:
        """`asks` is false for a check that sends no query."""
        by_xdp = self._count() if self._answers and asks else None
        if by_xdp == 0 and self._needed:
            tally, examples = tally + Tally(0, 1), [NO_XDP, *examples]
        for row in self.rows:
            if (row.check, row.path) == (check, path):
                row.tally += tally
                break
        else:
            self.rows.append(row := Row(check, path, tally, log))
        if by_xdp is not None:
            row.by_xdp = (row.by_xdp or 0) + by_xdp
        fresh = list(examples)[: EXAMPLES - len(row.examples)]
        row.examples += fresh
        say(f"{check} ({path}): {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped"
            + ("" if by_xdp is None else f"; {by_xdp} replies by XDP"))
        for example in fresh:
            say(f"    {example}")

    def broken(self, check: str, path: str, reason: str, log: str) -> None:
        """A check that could not be made has failed."""
        self.add(check, path, Tally(0, 1), log, [reason], asks=False)

    @property
    def failed(self) -> bool:
        return not self.rows or any(row.tally.failed for row in self.rows)

    def text(self) -> str:
        header = ["check", "path", "passed", "failed", "skipped", "by XDP", "log"]
        rows = [[row.check, row.path, *map(str, (row.tally.passed, row.tally.failed, row.tally.skipped)),
                 "" if row.by_xdp is None else str(row.by_xdp), row.log] for row in self.rows]
        return table(header, rows, right=frozenset({"passed", "failed", "skipped", "by XDP"}))
