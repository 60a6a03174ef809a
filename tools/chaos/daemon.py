"""The daemon under test: every node has one of five kinds of checks, and the XDP program stays when the daemon stops."""
from dataclasses import dataclass
from pathlib import Path

import certificates
import ports
from lab import Lab
from oracle import Node
from server import NAME
from stage import Stage


@dataclass(frozen=True)
class Pace:
    """Of checks; milliseconds, and results in a row."""

    interval: int = 500
    timeout: int = 250
    fall: int = 3
    rise: int = 2
    slow_start: int = 2000
    hold_s: int = 10

    def settings(self) -> str:
        return (f"{{interval: {self.interval}ms, timeout: {self.timeout}ms, fall: {self.fall}, rise: {self.rise}, "
                f"slow_start: {self.slow_start}ms, brake: {{percent: 50, hold: {self.hold_s}s}}}}")

    @property
    def detection_s(self) -> float:
        """From a failure to the first answer that knows: half an interval more than the last probe's end at its latest."""
        return ((self.fall + 0.5) * self.interval + self.timeout) / 1e3

    @property
    def return_s(self) -> float:
        """From a recovery to the first answer, with all damping there is."""
        return 1.05 * (8 * self.rise + 1) * self.interval / 1e3 + self.timeout / 1e3


def checks(node: Node, folder: Path) -> str:
    """Its group is its number modulo five; faults.py knows them."""
    tcp = f"{{type: tcp, port: {ports.TCP}, expect: {ports.GREETING}}}"
    http = f"{{type: http, port: {ports.HTTP}, path: {ports.PATH}, body: ok}}"
    https = (f"{{type: https, port: {ports.HTTPS}, host: {certificates.HOST}, path: {ports.PATH}, body: ok, "
             f"authorities: {folder / certificates.AUTHORITY}}}")
    dns = f"{{type: dns, port: {ports.DNS}, name: {NAME}, record: A}}"
    icmp = "{type: icmp}"
    groups = [[tcp], [http, icmp], [https], [dns, tcp], [tcp, icmp, http]]
    return ", ".join(groups[node.index % len(groups)])


class Daemon(Stage):
    """A stage (tools/drill) whose nodes are checked."""

    def __init__(self, lab: Lab, binaries: Path, database: Path, nodes: list[Node], pace: Pace):
        super().__init__(lab, binaries, database, nodes)
        text = self.text.replace("nodes:\n", f"health: {pace.settings()}\nnodes:\n", 1)
        for node in nodes:
            line = f"  - id: {node.id}  # {node.city}\n"
            text = text.replace(line, f"{line}    health: {{checks: [{checks(node, self.folder)}]}}\n")
        self.text = text
        self.config.write_text(text)
