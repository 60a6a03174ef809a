"""Figures: what was measured, how it spreads, and whether it reaches its bar."""
import json
import statistics
from dataclasses import dataclass
from pathlib import Path

from console import say

# Bars of the project; a figure without one is reported only.
AT_MOST = {
    "wrong_answers": 0, "tailored_hot_ns": 150, "tailored_set_ns": 250, "location_v4_ns": 60, "location_v6_ns": 120,
    "flip_ms": 5, "cold_start_s": 15, "peak_mib": 1536, "parity_mismatches": 0, "slow_p99_ratio_nsd": 1,
    "slow_p99_ratio_nsd_100k": 1, "flood_legit_loss": 0.001, "flood_spoofed_cpu": 0.05, "flood_spoofed_mib": 4,
    "flip_load_p99_ms": 1, "failure_refused_s": 3.5, "failure_silent_s": 4, "checks_cpu": 0.25, "checks_missed": 0,
    "thousand_ms": 50, "check_https_ms": 1, "siege_lost_fast": 0, "siege_lost_slow": 0.001, "siege_p99_ms": 50, "siege_connect_s": 1,
    "siege_memory_ratio": 1.3, "siege_checks_missed": 0, "siege_reflected": 0, "compare_worse": 0, "operator_failures": 0,
    "manage_plan_differences": 0, "manage_lost": 0, "manage_failures": 0,
    "manage_plan_s": 10, "manage_plan_ties_s": 10, "manage_plan_1000_s": 60,
}
AT_LEAST = {
    "xdp_share": 0.99, "slow_qps_ratio_nsd": 1, "slow_qps_ratio_nsd_100k": 1, "slow_open_qps_ratio_nsd": 1,
    "slow_open_qps_ratio_nsd_100k": 1, "flood_subdomain_xdp_share": 0.999,
    "rival_cpu_knot_xdp": 5, "rival_cpu_knot_geo_xdp": 10, "rival_cpu_gdnsd": 10, "rival_cpu_powerdns": 10,
}
# Of these a miss is a fault of the program on any machine, not a question of speed.
RIGHTNESS = {"wrong_answers", "xdp_share", "parity_mismatches", "flood_subdomain_xdp_share"}


@dataclass(frozen=True)
class Figure:
    """`value` is the median of the runs."""

    name: str
    value: float
    unit: str
    runs: int
    min: float
    max: float
    note: str = ""

    @staticmethod
    def of(name: str, samples: list[float], unit: str, note: str = "", digits: int = 2) -> "Figure":
        value, low, high = (round(x, digits) for x in (statistics.median(samples), min(samples), max(samples)))
        return Figure(name, value, unit, len(samples), low, high, note)

    @property
    def bar(self) -> str:
        if self.name in AT_MOST:
            return f"at most {AT_MOST[self.name]:,}"
        return f"at least {AT_LEAST[self.name]}" if self.name in AT_LEAST else ""

    @property
    def reached(self) -> bool:
        """True too where there is no bar."""
        return self.value <= AT_MOST.get(self.name, self.value) and self.value >= AT_LEAST.get(self.name, self.value)

    def line(self) -> str:
        spread = f" ({self.min:,g}–{self.max:,g} in {self.runs} runs)" if self.runs > 1 else ""
        mark = f"   [{'ok' if self.reached else 'MISSED'}: {self.bar}]" if self.bar else ""
        return f"{self.name} {self.value:,g} {self.unit}{spread}{mark}"

    def record(self) -> dict:
        fields = {"figure": self.name, "value": self.value, "unit": self.unit, "runs": self.runs, "min": self.min,
                  "max": self.max}
        return fields | ({"note": self.note} if self.note else {})


class Report:
    """Says each figure when it is known, and writes it at once where the user wants JSON."""

    def __init__(self, path: Path | None):
        self.figures: list[Figure] = []
        self.failures: list[str] = []
        self._file = path.open("w") if path else None

    def add(self, figure: Figure) -> None:
        self.figures.append(figure)
        say(figure.line())
        if figure.note:
            say(f"    {figure.note}")
        self.write(figure)

    def write(self, figure: Figure) -> None:
        """Only to the file: for what is shown otherwise."""
        if self._file:
            self._file.write(json.dumps(figure.record(), ensure_ascii=False) + "\n")
            self._file.flush()

    def fail(self, text: str) -> None:
        """A measurement that could not be made."""
        self.failures.append(text)
        say(f"NOT MEASURED: {text}")

    def wrong(self) -> bool:
        return bool(self.failures) or any(not figure.reached for figure in self.figures if figure.name in RIGHTNESS)
