"""Source text without what is not code: comments and literals become blanks, every offset stays."""


def mask(text: str, swift: bool) -> str:
    return _Mask(text, swift).run()


class _Mask:
    def __init__(self, text: str, swift: bool):
        self.text, self.swift = text, swift
        self.out = list(text)
        self.at = 0

    def run(self) -> str:
        while self.at < len(self.text):
            if self.text.startswith("//", self.at):
                self._blank(self._until("\n"))
            elif self.text.startswith("/*", self.at):
                self._comment()
            elif self.text[self.at] == '"' or self.swift and self.text.startswith(('#"', '##"'), self.at):
                self._string()
            elif self.text[self.at] == "'" and not self.swift:
                self._character()
            else:
                self.at += 1
        return "".join(self.out)

    def _until(self, end: str) -> int:
        found = self.text.find(end, self.at)
        return len(self.text) if found < 0 else found

    def _blank(self, end: int) -> None:
        for index in range(self.at, min(end, len(self.text))):
            if self.text[index] != "\n":
                self.out[index] = " "
        self.at = end

    def _comment(self) -> None:
        depth, end = 0, self.at
        while end < len(self.text):
            if self.text.startswith("/*", end) and (self.swift or depth == 0):
                depth += 1
                end += 2
            elif self.text.startswith("*/", end):
                depth -= 1
                end += 2
                if depth == 0:
                    break
            else:
                end += 1
        self._blank(end)

    def _character(self) -> None:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != "'":
            end += 2 if self.text[end] == "\\" else 1
        # The constant stays an operand in the eyes of what reads the text.
        self.at = end + 1

    def _string(self) -> None:
        end = self._string_end(self.at)
        # The quotation marks stay: what is there is an operand.
        first, last = self.at, end - 1
        self._blank(end)
        self.out[first] = self.out[last] = '"'

    def _string_end(self, start: int) -> int:
        """Behind the literal that begins at `start`, with the code that stands inside of it."""
        hashes = 0
        while self.text[start + hashes] == "#":
            hashes += 1
        quote = '"""' if self.swift and self.text.startswith('"""', start + hashes) else '"'
        escape = "\\" + "#" * hashes
        at = start + hashes + len(quote)
        while at < len(self.text):
            if self.text.startswith(escape + "(", at) and self.swift:
                at = self._interpolation_end(at + len(escape))
            elif self.text.startswith(escape, at):
                at += len(escape) + 1
            elif self.text.startswith(quote + "#" * hashes, at):
                return at + len(quote) + hashes
            else:
                at += 1
        return len(self.text)

    def _interpolation_end(self, at: int) -> int:
        depth = 0
        while at < len(self.text):
            if self.text[at] == '"':
                at = self._string_end(at)
                continue
            depth += {"(": 1, ")": -1}.get(self.text[at], 0)
            at += 1
            if depth == 0:
                break
        return at
