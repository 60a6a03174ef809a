"""Faults of a node, and the state that must follow."""
from collections.abc import Callable
from dataclasses import dataclass

from oracle import Node
from town import Town

SLOW_MS, SLUGGISH_MS = 700, 40


@dataclass(frozen=True)
class Fault:
    """`breaks`: whether every check of some kind fails for as long as it lasts, so that the node must leave the answers;
    else it may stay or go. `of`: the nodes it can happen to, by the number of their checks' group."""

    begin: Callable[[Town, Node], None]
    end: Callable[[Town, Node], None]
    breaks: bool = True
    of: tuple[int, ...] = (0, 1, 2, 3, 4)


def _mode(mode: str, of: tuple[int, ...] = (0, 1, 2, 3, 4)) -> Fault:
    return Fault(lambda town, node: town.serve(node, mode), lambda town, node: town.serve(node, "well"), of=of)


def _set(name: str) -> Fault:
    return Fault(lambda town, node: town.block(node, name, True), lambda town, node: town.block(node, name, False))


def _relay(milliseconds: int, loss: float, breaks: bool) -> Fault:
    return Fault(lambda town, node: town.delay(node, milliseconds, loss), lambda town, node: town.delay(node, 0, 0),
                 breaks)


# The groups of checks, by the node's number; see daemon.py.
TCP, HTTP, HTTPS, DNS, MIXED = range(5)
FAULTS = {
    "killed": _mode("killed"),
    "frozen": _mode("frozen"),
    "wrong": _mode("wrong"),
    "misworded": _mode("misworded"),
    "endless": _mode("endless", (HTTP, HTTPS, MIXED)),
    "circular": _mode("circular", (HTTP, HTTPS, MIXED)),
    "expired": _mode("expired", (HTTPS,)),
    "misnamed": _mode("misnamed", (HTTPS,)),
    "filtered": _set("filtered"),
    "gone": _set("gone"),
    "refused": _set("refused"),
    "mute": _set("mute"),
    "slow": _relay(SLOW_MS, 0, True),
    "sluggish": _relay(SLUGGISH_MS, 0.05, False),
    "lossy": _relay(SLUGGISH_MS, 0.5, False),
}
