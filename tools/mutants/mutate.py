"""Mutations: small, plausible mistakes in a source file, each a replacement of one piece of its text."""
import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from masking import mask

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "&+": "&-", "&-": "&+"}
ASSIGNMENTS = {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="}
WORDS = {"true": "false", "false": "true", "min": "max", "max": "min"}

# Lines whose change alters no behaviour, or is no mistake of the logic.
UNTOUCHED = re.compile(
    r"_Static_assert|__attribute__|^\s*#\s*(include|pragma|if|ifn?def|endif|else)|reserveCapacity|minimumCapacity|InlineArray<|"
    r"\b(precondition|preconditionFailure|assert|fatalError)\(|barrier_var|maximumReaderCount|^\s*@|alignment:|\b(logger|log)\.|"
    # Sizes that were measured or chosen, and draws.
    r"\* 1_?024\b|\b\d+ << [123]0\b|\.random\(in:")
OPERATOR_BEFORE = re.compile(r"(?:[-+*/%&|^=<>?:,(\[{.]|\b(?:return|else|in|try|await))\s*$")
OPERATOR_AFTER = re.compile(r"^\s*(?:[-+*/%&|^=<>?:,)\].]|else\b|\{)")
# Declarations, and assignments of initializers, without which nothing compiles.
NO_STATEMENT = re.compile(
    r"(let|var|lazy|weak|unowned|static|case|return|default|func|init|import|public|package|internal|private|fileprivate|"
    r"nonisolated|typealias|guard|if|for|while|switch|throw)\b|self\.(\w+) = \2$")


@dataclass(frozen=True)
class Mutation:
    """The text of `file` between two offsets is replaced."""

    file: Path
    kind: str
    start: int
    end: int
    old: str
    new: str
    line: int

    def apply(self, text: str) -> str:
        if text[self.start:self.end] != self.old:
            raise ValueError(f"{self.file} has changed")
        return text[:self.start] + self.new + text[self.end:]

    @property
    def summary(self) -> str:
        def short(text: str) -> str:
            words = " ".join(text.split())
            return words if len(words) <= 50 else words[:49] + "…"

        return f"{short(self.old)} → {short(self.new)}" if self.new.strip() else f"without {short(self.old)}"


class Source:
    """A source file, and every mutation of it."""

    def __init__(self, file: Path, text: str):
        self.file, self.text = file, text
        self.is_swift = file.suffix == ".swift"
        self.masked = mask(text, swift=self.is_swift)
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def _line(self, offset: int) -> int:
        return bisect.bisect_right(self.starts, offset)

    def _line_text(self, number: int) -> str:
        if not 0 < number <= len(self.starts):
            return ""
        end = self.starts[number] if number < len(self.starts) else len(self.masked)
        return self.masked[self.starts[number - 1]:end].rstrip("\n")

    def mutations(self) -> list[Mutation]:
        found = {}
        for kind, start, end, new in self._all():
            line = self._line(start)
            if not UNTOUCHED.search(self._line_text(line)):
                found[start, end, new] = Mutation(self.file, kind, start, end, self.text[start:end], new, line)
        return [found[key] for key in sorted(found)]

    def _all(self) -> Iterator[tuple[str, int, int, str]]:
        yield from self._operators()
        yield from self._constants()
        yield from self._conditions()
        yield from self._dropped_operands()
        yield from self._statements()

    def _operators(self) -> Iterator[tuple[str, int, int, str]]:
        for match in re.finditer(r"(?<=\s)([-+*/%&|^<>=!]+)(?=\s)", self.masked):
            operator, (start, end) = match[1], match.span(1)
            for new in COMPARISONS.get(operator, ()):
                yield "comparison", start, end, new
            if operator in ("&&", "||"):
                yield "logic", start, end, "||" if operator == "&&" else "&&"
            if operator in ARITHMETIC:
                yield "arithmetic", start, end, ARITHMETIC[operator]
            if operator in ASSIGNMENTS:
                yield "arithmetic", start, end, ASSIGNMENTS[operator]
        for match in re.finditer(r"(?<![\w!=<>)\]])!(?=[\w(])", self.masked):
            yield "negation", match.start(), match.end(), ""
        if self.is_swift:
            for match in re.finditer(r"(?<=[\w)\]])(\.\.<|\.\.\.)(?=[\w(])", self.masked):
                yield "range", match.start(), match.end(), "..." if match[1] == "..<" else "..<"

    def _constants(self) -> Iterator[tuple[str, int, int, str]]:
        pattern = r"(?<![\w.$#@])(0x[0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*)((?:ULL|LL|UL|U)?)(?![\w.])"
        for match in re.finditer(pattern, self.masked):
            value = int(match[1].replace("_", ""), 0) if match[1] != "0" else 0
            for near in (value + 1, value - 1):
                if near >= 0:
                    yield "constant", match.start(), match.end(), (hex(near) if "x" in match[1] else str(near)) + match[2]
        for match in re.finditer(r"(?<![\w.])(true|false|(?:min|max)(?=\([^)]))\b", self.masked):
            yield "constant", match.start(), match.end(), WORDS[match[1]]

    def _conditions(self) -> Iterator[tuple[str, int, int, str]]:
        """Conditions that always hold, or never."""
        if not self.is_swift:
            for match in re.finditer(r"\bif \(", self.masked):
                end = self._closing(match.end() - 1)
                if end:
                    yield from (("condition", match.end(), end, value) for value in ("0", "1"))
            return
        for match in re.finditer(r"\b(guard|if|while) ", self.masked):
            for start, end in self._parts(match.end()):
                if not re.match(r"(let|var|case|#)\b", self.masked[start:end].strip() + " "):
                    yield "condition", start, end, "true"

    def _closing(self, opening: int) -> int | None:
        """The offset of the bracket that closes the one at `opening`."""
        depth = 0
        for offset in range(opening, len(self.masked)):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.masked[offset], 0)
            if depth == 0:
                return offset
        return None

    def _parts(self, start: int) -> Iterator[tuple[int, int]]:
        """The conditions of a Swift statement that begin at `start`, between commas and before its block or `else`."""
        depth, begin = 0, start
        for offset in range(start, min(start + 800, len(self.masked))):
            character = self.masked[offset]
            ends = depth == 0 and (
                character == "{" and self.masked[offset - 1] == " " or self.masked.startswith("else", offset)
                and self.masked[offset - 1].isspace())
            if ends or depth == 0 and character == ",":
                text = self.masked[begin:offset]
                if text.strip():
                    yield begin + len(text) - len(text.lstrip()), begin + len(text.rstrip())
                begin = offset + 1
            if ends:
                return
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
            if depth < 0:
                return

    def _dropped_operands(self) -> Iterator[tuple[str, int, int, str]]:
        """One side of && or || left out."""
        for match in re.finditer(r"(?<=\s)(&&|\|\|)(?=\s)", self.masked):
            right = self._operand_end(match.end())
            if right > match.end():
                before = len(self.masked[:match.start()].rstrip())
                yield "dropped", before, right, ""
            left = self._operand_start(match.start())
            if left < match.start():
                after = len(self.masked) - len(self.masked[match.end():].lstrip())
                yield "dropped", left, after, ""

    def _operand_end(self, offset: int) -> int:
        depth, start = 0, offset
        while offset < len(self.masked):
            character = self.masked[offset]
            if depth == 0 and offset > start + 1:
                if character in ",;)]}{?" or self.masked.startswith(("&&", "||", " : "), offset):
                    break
                if character == "\n" and self.is_swift and not OPERATOR_AFTER.match(self.masked[offset + 1:offset + 80]):
                    break
                if self.masked.startswith("else", offset) and self.masked[offset - 1].isspace():
                    break
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
            if depth < 0:
                break
            offset += 1
        return start + len(self.masked[start:offset].rstrip())

    def _operand_start(self, offset: int) -> int:
        depth, end = 0, offset
        while offset > 0:
            character = self.masked[offset - 1]
            if depth == 0:
                if character in ",;([{}?":
                    break
                before = self.masked[:offset]
                if before.endswith(("&&", "||", " = ", " in ", "return ", "guard ", "if ", "while ", " : ", "-> ")):
                    break
            depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(character, 0)
            if depth < 0:
                break
            offset -= 1
        return end - len(self.masked[offset:end].lstrip())

    def _statements(self) -> Iterator[tuple[str, int, int, str]]:
        """Single-line statements left out."""
        for number in range(1, len(self.starts) + 1):
            text = self._line_text(number)
            statement = text.strip()
            if not statement or text.count("(") != text.count(")") or re.search(r"[{}]", statement):
                continue
            if self.is_swift:
                if OPERATOR_BEFORE.search(self._line_text(number - 1)) or OPERATOR_AFTER.match(self._line_text(number + 1)):
                    continue
                pattern = r"(?:[\w.\[\]$?! ]+ (?:=|[-+*/|&^<>]+=) .+|(?:try\??|await)? ?[\w.?]+\(.*\)|continue|break)$"
                if NO_STATEMENT.match(statement):
                    continue
            else:
                pattern = r"(?:[\w\->.\[\]*&+]+ (?:=|[-+*/|&^<>]+=) .+;|\w+\(.*\);|\w+(?:\+\+|--);|continue;|break;)$"
                # A statement without braces belongs to what stands before it.
                if re.search(r"(?:\)|\belse|\bdo)$", self._line_text(number - 1).rstrip()) or text == statement:
                    continue
            if re.match(pattern, statement):
                start = self.starts[number - 1] + text.index(statement)
                yield "statement", start, start + len(statement), ""
