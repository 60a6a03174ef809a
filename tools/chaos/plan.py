"""A random schedule of faults, which depends only on a seed."""
import random
from dataclasses import dataclass

from faults import FAULTS

GROUPS = 5
# Of all nodes, at most, broken or drained at once: fewer than the brake allows to fail within its hold.
PART = 0.3
FLAP_HALVES_S = (0.3, 0.8, 2.0, 4.0)
DAEMON = ("kill", "restart", "takeover")


@dataclass(frozen=True, order=True)
class Step:
    """At `at` seconds: `what` begins or ends (`on`) for `node`; for the daemon `node` is empty."""

    at: float
    what: str
    node: str = ""
    on: bool = True

    def __str__(self) -> str:
        return f"{self.what}{' ' + self.node if self.node else ''}{'' if self.on else ' ends'}"


def _trouble(dice: random.Random, at: float, node: str, group: int) -> list[Step]:
    """What one node goes through from `at` on; the last step ends it."""
    kind = dice.random()
    if kind < 0.15:
        what = dice.choice(["drain", "set-down"])
        return [Step(at, what, node), Step(at + dice.uniform(1, 8), what, node, False)]
    if kind < 0.35:
        what, half = dice.choice(["killed", "filtered"]), dice.choice(FLAP_HALVES_S)
        count = 2 * max(1, round(dice.uniform(4, 16) / half / 2))
        return [Step(at + number * half, what, node, number % 2 == 0) for number in range(count)]
    what = dice.choice([name for name, fault in FAULTS.items() if group in fault.of])
    return [Step(at, what, node), Step(at + dice.uniform(0.2, 15), what, node, False)]


def plan(seed: int, seconds: float, nodes: list[str], quiet: bool = False) -> list[Step]:
    """Steps in order; every fault ends within `seconds`. With `quiet` the daemon has none."""
    dice = random.Random(seed)
    free = {node: 0.0 for node in nodes}
    steps: list[Step] = []
    at = 2.0
    while at < seconds - 1:
        waiting = [node for node in nodes if free[node] <= at]
        if len(nodes) - len(waiting) < PART * len(nodes):
            node = dice.choice(waiting)
            trouble = [Step(min(step.at, seconds), step.what, step.node, step.on)
                       for step in _trouble(dice, at, node, nodes.index(node) % GROUPS)]
            free[node] = trouble[-1].at + 0.5
            steps += trouble
        at += dice.expovariate(1.2)
    if not quiet:
        steps += [Step(at, "reload") for at in range(13, int(seconds) - 5, 23)]
        steps += [Step(at, dice.choice(DAEMON)) for at in range(25, int(seconds) - 25, 47)]
    return sorted(steps, key=lambda step: step.at)
