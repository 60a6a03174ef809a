"""Whether two builds differ by more than one and the same build does from round to round."""
import statistics
from dataclasses import dataclass

# A smaller difference proves nothing: any change moves code and data by as much.
RESOLUTION = 0.01
BETTER, WORSE, SAME = "better", "worse", "same"


@dataclass(frozen=True)
class Comparison:
    """What both builds gave for one figure, a value a round and in the order of the rounds."""

    figure: str
    unit: str
    base: list[float]
    head: list[float]
    more_is_better: bool = False

    @property
    def medians(self) -> tuple[float, float]:
        return statistics.median(self.base), statistics.median(self.head)

    @property
    def ratio(self) -> float | None:
        """Of the medians, head over base. None where base is 0."""
        base, head = self.medians
        return head / base if base else None

    @property
    def ratios(self) -> list[float]:
        """Round by round. Empty where a base is 0."""
        if 0 in self.base:
            return []
        return [head / base for base, head in zip(self.base, self.head)]

    @property
    def range(self) -> float:
        """Largest minus smallest value of one build, of the build where that is more."""
        return max(max(values) - min(values) for values in (self.base, self.head))

    @property
    def spread(self) -> float | None:
        """The range as a part of base's median. None where that is 0."""
        base = self.medians[0]
        return self.range / base if base else None

    @property
    def verdict(self) -> str:
        """`same` unless the medians are further apart than the values of either build, and than the resolution."""
        base, head = self.medians
        if abs(head - base) <= max(self.range, RESOLUTION * abs(base)):
            return SAME
        return BETTER if (head > base) == self.more_is_better else WORSE
