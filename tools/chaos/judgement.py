"""The result of a run, as text and as JSON."""
import collections

import verdicts
from askers import Asker
from console import heading, say
from daemon import Pace
from flood import Count
from trial import Trial
from verdicts import Violation
from words import Words

SHOWN = 5
BEFORE_S, AFTER_S = 12, 2
# What a loaded machine may take longer to bring a node back.
LEEWAY_S = 3


class Judgement:
    """`faults` is empty where nothing was wrong. `first`: changes seen before the trial."""

    def __init__(self, options, pace: Pace, trial: Trial, words: Words, first: int, readers: list, load: Count,
                 journals: dict[str, list[str]], began: float, end: float):
        self.options, self.trial, self.words, self.load = options, trial, words, load
        self.began, self.end = began, end
        self.askers = [reader for reader in readers if isinstance(reader, Asker)]
        self.samples = [sample for reader in readers for sample in reader.samples]
        seen, changes = words.seen, words.seen[first:]
        self.changes = changes
        bar_s = options.bar / 1e3
        detection_s = options.detection / 1e3 if options.detection is not None else pace.detection_s
        nobody = [(begins, ends) for begins, ends in verdicts.nobody_usable(seen, end) if ends > began]
        by_hand = [verdicts.Span(span.begins + bar_s, span.ends, span.node, span.reason) for span in trial.operator.spans]
        self.violations = {
            "named while out": verdicts.named(self.samples, verdicts.out_spans(seen, bar_s, end), nobody),
            "named while drained": verdicts.named(self.samples, by_hand, nobody),
            "named while broken": verdicts.named(
                self.samples, verdicts.broken_spans(trial.broken, trial.blind, detection_s), nobody),
            "out without cause": verdicts.causeless(changes, trial.troubles, detection_s + LEEWAY_S),
            "not back": verdicts.stayed_out(seen, trial.troubles, trial.blind, pace.return_s + LEEWAY_S,
                                            list(trial.nodes), end),
            "not in the journal": verdicts.unwritten(seen, journals),
            "lost": [Violation(at, "", f"{asker.title}: {text}") for asker in self.askers for at, text in asker.lost
                     if not self._may_lose(asker, at)],
            "empty": [Violation(at, "", f"{asker.title}: {text}") for asker in self.askers for at, text in asker.empty],
        }

    def _may_lose(self, asker: Asker, at: float) -> bool:
        """Without a daemon there is no answer over TCP."""
        return asker.transport == "tcp" and any(
            begins - 1 <= at <= ends + 0.5 for begins, ends in self.trial.blind)

    @property
    def faults(self) -> list[str]:
        told = [f"{len(found):,} × {kind}" for kind, found in self.violations.items() if found]
        if self.load.lost:
            told.append(f"{self.load.lost:,} of the load's {self.load.sent:,} queries without an address")
        return told + self.trial.failures

    # MARK: telling

    def tell(self) -> None:
        states = collections.Counter(change.state for change in self.changes)
        say(f"load: {self.load.sent:,} queries at {self.load.rate:,.0f} a second, {self.load.lost:,} lost or empty")
        for asker in self.askers:
            excused = sum(self._may_lose(asker, at) for at, _ in asker.lost)
            say(f"{asker.title}: {asker.asked:,} asked, {len(asker.lost)} lost ({excused} of them without a daemon), "
                f"{len(asker.empty)} empty")
        say(f"no daemon, or one that starts: {sum(ends - begins for begins, ends in self.trial.blind):.0f} s")
        say(f"{len(self.trial.troubles)} troubles, {len(self.trial.broken)} of which must be found out; changes that packets "
            f"saw: {', '.join(f'{count} {state}' for state, count in states.items())}; {len(self.samples):,} answers judged, "
            f"longest look away {self.words.longest_pause * 1e3:.1f} ms")
        for kind, found in self.violations.items():
            if found:
                heading(f"{len(found):,} × {kind}")
                for violation in self._firsts(found):
                    say(f"{violation.at - self.began:8.3f}  {violation.text}")
                    self._timeline(violation)
        heading("Nothing was wrong" if not self.faults else f"WRONG, seed {self.options.seed}")
        for fault in self.faults:
            say(fault)

    @staticmethod
    def _firsts(found: list[Violation]) -> list[Violation]:
        """One of each node's, the earliest ones."""
        firsts: dict[str, Violation] = {}
        for violation in sorted(found, key=lambda violation: violation.at):
            firsts.setdefault(violation.node or str(len(firsts)), violation)
        return list(firsts.values())[:SHOWN]

    def _timeline(self, violation: Violation) -> None:
        """What was done to the node and to the daemon around it, and what packets saw."""
        lines = [(at, text) for at, node, text in self.trial.events if node in ("", violation.node)]
        lines += [(change.after, f"packets see {change.node} {change.state}") for change in self.words.seen
                  if change.node == violation.node]
        lines.append((violation.at, f"<<< {violation.text}"))
        for at, text in sorted(lines):
            if -BEFORE_S <= at - violation.at <= AFTER_S:
                say(f"      {at - self.began:8.3f}  {text}")

    def record(self) -> dict:
        """As JSON."""
        return {
            "seed": self.options.seed, "seconds": round(self.end - self.began, 1), "faults": self.faults,
            "load": {"sent": self.load.sent, "lost": self.load.lost, "rate": round(self.load.rate)},
            "askers": {asker.title: {"asked": asker.asked, "lost": len(asker.lost), "empty": len(asker.empty)}
                       for asker in self.askers},
            "troubles": len(self.trial.troubles), "changes": len(self.changes), "answers": len(self.samples),
            "violations": {kind: [{"at": round(violation.at - self.began, 3), "node": violation.node,
                                   "text": violation.text} for violation in found[:100]]
                           for kind, found in self.violations.items() if found},
        }
