"""Policies for the independent computation: their configuration, and the nodes that may be answered, by brute force."""
import math
from dataclasses import dataclass

# A tie within a metre is no error.
TIE_KM = 0.001
ORIGINAL = ("linear", "quadratic", "logarithmic", "stepped")
_STEPS = [(100, 1.0), (500, 0.8), (2000, 0.6), (5000, 0.4), (math.inf, 0.2)]


def _proximity(strategy: str, kilometres: float) -> float:
    """The original formulas, 0 to 1."""
    match strategy:
        case "stepped":
            return next(score for below, score in _STEPS if kilometres < below)
        case "logarithmic":
            return 1 if kilometres < 1 else 1 - min(max(math.log(kilometres) / 10, 0), 1)
    x = 1 - min(kilometres / 20000, 1)
    return x * x if strategy == "quadratic" else x


@dataclass(frozen=True)
class Policy:
    """`biases` and `weights` are the members' in turn, `percent` and `kilometres` the tolerance."""

    strategy: str = "nearest"
    answers: int = 1
    percent: int = 0
    kilometres: int = 0
    maximum: int | None = None
    biases: tuple[int, ...] = (0,)
    weights: tuple[int, ...] = (1,)
    bias_factor: float = 0.8

    def settings(self) -> str:
        """The keys of the policy in the configuration."""
        words = [f"strategy: {self.strategy}", f"answers: {self.answers}"]
        if self.percent or self.kilometres:
            words.append(f"tolerance: {{percent: {self.percent}, kilometres: {self.kilometres}}}")
        if self.maximum:
            words.append(f"maximum_distance: {self.maximum}")
        if self.strategy in ORIGINAL:
            words.append(f"bias_factor: {self.bias_factor}")
        return ", ".join(words)

    def member(self, node) -> str:
        """A node as a member of the pool."""
        if len(self.biases) == len(self.weights) == 1:
            return node.id
        return f"{{id: {node.id}, weight: {self._of(self.weights, node)}, bias: {self._of(self.biases, node)}}}"

    @staticmethod
    def _of(values: tuple[int, ...], node) -> int:
        return values[node.index % len(values)]

    # MARK: judging

    def _cost(self, node, place, kilometres: float) -> float:
        """Lower comes first."""
        kilometres = max(kilometres, 0)
        if self.strategy not in ORIGINAL:
            return kilometres * (100 - self._of(self.biases, node)) / 100
        if self.maximum and kilometres > self.maximum:
            return 0
        # The node files have no regions: what is left of the bonus is the country's.
        bonus = self.bias_factor / 2 if node.country and node.country == place.country else 0
        return -min(1, _proximity(self.strategy, kilometres) * (1 - self.bias_factor) + bonus)

    def _reach(self, cost: float) -> float:
        """The last cost that shares the band of a leader."""
        if self.strategy in ORIGINAL:
            return cost * (100 - self.percent) / 100
        return max(cost * (100 + self.percent) / 100, cost + self.kilometres)

    def accepts(self, place, nodes: list, distances: list[float], answers: list) -> bool:
        """Whether `answers` are whom a client at `place` may get, in this order; `distances` are those of `nodes`."""
        fewest, left = self._candidates(nodes, distances)
        if not min(self.answers, fewest) <= len(answers) <= min(self.answers, len(left)):
            return False
        band: set[str] = set()
        reach = -math.inf
        for answer in answers:
            if answer.id not in left:
                return False
            low = {id: self._cost(node, place, distances[node.index] - TIE_KM) for id, node in left.items()}
            high = {id: self._cost(node, place, distances[node.index] + TIE_KM) for id, node in left.items()}
            if not band & left.keys():
                # A new band: its leader is the best that is left. Who is in it beyond doubt comes before all others.
                reach = self._reach(min(high.values()))
                sure_reach = self._reach(min(low.values()))
                band = {id for id in left if high[id] <= sure_reach}
            if low[answer.id] > reach + 1e-12:
                return False
            del left[answer.id]
        return True

    def _candidates(self, nodes: list, distances: list[float]) -> tuple[int, dict]:
        """Those within the maximum distance, by id, and how many of them are so beyond doubt; all where nobody is."""
        if self.maximum and self.strategy not in ORIGINAL:
            fewest = sum(distances[node.index] <= self.maximum - TIE_KM for node in nodes)
            if fewest:
                return fewest, {node.id: node for node in nodes if distances[node.index] <= self.maximum + TIE_KM}
        return len(nodes), {node.id: node for node in nodes}


POLICIES = {
    "nearest": Policy(),
    "biased": Policy(biases=(0, 30, -20, 10, 0, -50)),
    "bands": Policy(percent=15, weights=(1, 5, 3)),
    "near-ties": Policy(kilometres=200, answers=2, weights=(2, 1), biases=(0, 15)),
    "three": Policy(answers=3, maximum=3000),
    "linear": Policy("linear", answers=3),
    "quadratic": Policy("quadratic", answers=2, bias_factor=0.35),
    "logarithmic": Policy("logarithmic", answers=3, percent=5),
    "stepped": Policy("stepped", answers=3, weights=(1, 4)),
}
