"""Output of the tools: headings, lines, tables, and signs of progress."""
import contextlib
import sys
import threading
import unicodedata


class Failure(Exception):
    """A step that cannot go on; its text is for the user."""


def heading(text: str) -> None:
    print(f"\n{text}", flush=True)


def say(text: str) -> None:
    print(f"  {text}", flush=True)


@contextlib.contextmanager
def waiting(text: str):
    """Shows `text`, and a dot a second until the block ends."""
    done = threading.Event()

    def dots() -> None:
        while not done.wait(1):
            print(".", end="", file=sys.stderr, flush=True)

    print(f"  {text} ", end="", file=sys.stderr, flush=True)
    thread = threading.Thread(target=dots)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        print(file=sys.stderr, flush=True)


def _width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def table(header: list[str], rows: list[list[str]], right: frozenset[str] = frozenset()) -> str:
    """Columns as wide as their widest cell; those named in `right` are aligned there."""
    widths = [max(_width(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        padded = []
        for name, cell, width in zip(header, cells, widths):
            space = " " * (width - _width(cell))
            padded.append(space + cell if name in right else cell + space)
        return "  " + "  ".join(padded).rstrip()

    return "\n".join([line(header), line(["─" * width for width in widths]), *map(line, rows)])
