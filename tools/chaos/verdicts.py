"""Which answers were right: pure functions of the records of a run."""
import bisect
from collections import defaultdict
from dataclasses import dataclass

from askers import Sample
from words import USABLE, Seen


@dataclass(frozen=True)
class Span:
    """From `begins` to `ends`, in seconds of monotonic time, `node` must not be named, for `reason`."""

    begins: float
    ends: float
    node: str
    reason: str


@dataclass(frozen=True)
class Violation:
    at: float
    node: str
    text: str


def out_spans(seen: list[Seen], bar_s: float, end: float) -> list[Span]:
    """Of the words: from `bar_s` after a node was seen out to the last moment before it was seen back."""
    spans: list[Span] = []
    out: dict[str, Seen] = {}
    for change in seen:
        if change.state in USABLE:
            if change.node in out:
                began = out.pop(change.node)
                spans.append(Span(began.after + bar_s, change.before, change.node, f"{began.state} for the packets"))
        elif change.node not in out and change.state != "unknown":
            out[change.node] = change
    spans += [Span(change.after + bar_s, end, node, f"{change.state} for the packets") for node, change in out.items()]
    return [span for span in spans if span.begins < span.ends]


def broken_spans(broken: list[Span], blind: list[tuple[float, float]], bound_s: float) -> list[Span]:
    """Of what was done to nodes: from `bound_s` after it began. While nobody checks (`blind`) time does not count, and what
    was counted before is forgotten."""
    spans = []
    for span in broken:
        deadline = span.begins + bound_s
        for begins, ends in sorted(blind):
            if begins < deadline and ends > span.begins:
                deadline = ends + bound_s
        if deadline < span.ends:
            spans.append(Span(deadline, span.ends, span.node, span.reason))
    return spans


def nobody_usable(seen: list[Seen], end: float) -> list[tuple[float, float]]:
    """When the pool was answered by its rule for that."""
    usable: set[str] = set()
    found, began = [], None
    for change in seen:
        if change.state in USABLE:
            usable.add(change.node)
        else:
            usable.discard(change.node)
        if not usable and began is None:
            began = change.before
        elif usable and began is not None:
            found.append((began, change.after))
            began = None
    return found + ([(began, end)] if began is not None else [])


def named(samples: list[Sample], spans: list[Span], excused: list[tuple[float, float]]) -> list[Violation]:
    """Answers that name a node within a span of its own."""
    by_node: dict[str, list[Span]] = defaultdict(list)
    for span in sorted(spans, key=lambda span: span.begins):
        by_node[span.node].append(span)
    starts = {node: [span.begins for span in own] for node, own in by_node.items()}
    found = []
    for sample in samples:
        index = bisect.bisect_right(starts.get(sample.node, []), sample.sent) - 1
        if index < 0 or any(begins <= sample.sent <= ends for begins, ends in excused):
            continue
        span = by_node[sample.node][index]
        if sample.sent < span.ends:
            late = (sample.sent - span.begins) * 1e3
            found.append(Violation(sample.sent, sample.node,
                                   f"{sample.who} was sent to {sample.node}, {late:.1f} ms beyond the bar ({span.reason})"))
    return found


def _contains(whole: list[str], part: list[str]) -> bool:
    """Whether `part` is what is left of `whole` without some of it."""
    rest = iter(whole)
    return all(state in rest for state in part)


def unwritten(seen: list[Seen], journals: dict[str, list[str]]) -> list[Violation]:
    """Changes that packets saw and the journal does not have in this order. `journals`: of a node, the states that it went
    to, oldest first."""
    by_node: dict[str, list[Seen]] = defaultdict(list)
    for change in seen:
        by_node[change.node].append(change)
    found = []
    for node, changes in by_node.items():
        # The first is what it was when the watch began.
        states, written = [change.state for change in changes[1:]], journals.get(node, [])
        if not _contains(written, states) or (states and written[-1] != states[-1]):
            found.append(Violation(changes[-1].after, node, f"the journal of {node} has {written}, packets saw {states}"))
    return found


def causeless(seen: list[Seen], troubles: list[Span], bound_s: float) -> list[Violation]:
    """Nodes that were taken out though nothing had happened to them of late."""
    found = []
    for change in seen:
        if change.state == "down" and not any(
                span.node == change.node and span.begins <= change.after and span.ends >= change.before - bound_s
                for span in troubles):
            found.append(Violation(change.after, change.node, f"{change.node} is down, and nothing ails it"))
    return found


def stayed_out(seen: list[Seen], troubles: list[Span], blind: list[tuple[float, float]], bound_s: float,
               nodes: list[str], end: float) -> list[Violation]:
    """Nodes that were well for `bound_s`, with somebody checking, and still not answered."""
    found = []
    for node in nodes:
        own = sorted((span for span in troubles if span.node == node), key=lambda span: span.begins)
        changes = [change for change in seen if change.node == node]
        for span, following in zip(own, [*own[1:], None]):
            deadline = span.ends + bound_s
            for begins, ends in sorted(blind):
                if begins < deadline and ends > span.ends:
                    deadline = ends + bound_s
            if deadline >= (following.begins if following else end):
                continue
            state = next((change.state for change in reversed(changes) if change.after <= deadline), "unknown")
            if state not in USABLE:
                found.append(Violation(deadline, node, f"{node} is {state}, {bound_s:.1f} s after it was well again"))
    return found
