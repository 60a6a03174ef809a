"""Runs a schedule, and records what was done at which time."""
import queue
import threading
import time

from console import Failure
from control import Control
from daemon import Daemon
from faults import FAULTS
from oracle import Node
from plan import Step
from town import Town
from verdicts import Span

OPERATOR = {"drain": "drained", "set-down": "down"}
RETRY_S, OPERATOR_PATIENCE_S = 0.2, 90


class Operator(threading.Thread):
    """Drains and undrains nodes in order; retries while no daemon listens."""

    def __init__(self, daemon: Daemon, log):
        super().__init__(daemon=True)
        self._control, self._log = Control(daemon.socket), log
        self._wishes: queue.SimpleQueue[Step | None] = queue.SimpleQueue()
        self._began: dict[tuple[str, str], tuple[float, float]] = {}
        # From when it was done to when it was to end; and from when it was asked for to when it had ended.
        self.spans: list[Span] = []
        self.troubles: list[Span] = []
        self.failures: list[str] = []

    def wish(self, step: Step) -> None:
        self._wishes.put(step)

    def close(self) -> None:
        self._wishes.put(None)
        self.join()
        self._control.close()

    def run(self) -> None:
        while (step := self._wishes.get()) is not None:
            asked = time.monotonic()
            if not self._set(step.node, OPERATOR[step.what] if step.on else "auto"):
                self.failures.append(f"the operator could not: {step}")
                continue
            self._log(str(step), step.node)
            if step.on:
                self._began[step.node, step.what] = (asked, time.monotonic())
            else:
                first, done = self._began.pop((step.node, step.what))
                reason = f"{step.what} by hand"
                self.spans.append(Span(done, asked, step.node, reason))
                self.troubles.append(Span(first, time.monotonic(), step.node, reason))

    def _set(self, node: str, state: str) -> bool:
        deadline = time.monotonic() + OPERATOR_PATIENCE_S
        while time.monotonic() < deadline:
            try:
                self._control.set_node(node, state, author="chaos")
                return True
            except (OSError, Failure):
                time.sleep(RETRY_S)
        return False


class Trial:
    """What was done: `broken` by faults after which a node must leave, `troubles` of any kind, `blind` while no daemon
    checked, and `events` for people."""

    def __init__(self, town: Town, daemon: Daemon, nodes: list[Node]):
        self.town, self.daemon = town, daemon
        self.nodes = {node.id: node for node in nodes}
        self.broken: list[Span] = []
        self.troubles: list[Span] = []
        self.blind: list[tuple[float, float]] = []
        self.events: list[tuple[float, str, str]] = []
        self.failures: list[str] = []
        self.operator = Operator(daemon, self.log)
        self._began: dict[tuple[str, str], tuple[float, float]] = {}
        self._errand: threading.Thread | None = None
        self._variant = 0

    def log(self, text: str, node: str = "") -> None:
        self.events.append((time.monotonic(), node, text))

    def run(self, steps: list[Step]) -> None:
        """Returns when all steps are done, and the daemon is ready."""
        self.operator.start()
        start = time.monotonic()
        for step in steps:
            time.sleep(max(0.0, start + step.at - time.monotonic()))
            if not step.node:
                self._send(step.what)
            elif step.what in OPERATOR:
                self.operator.wish(step)
            else:
                self._fault(step)
        self.operator.close()
        self.await_errand()
        self.failures += self.operator.failures
        self.troubles += self.operator.troubles

    def _fault(self, step: Step) -> None:
        fault, node = FAULTS[step.what], self.nodes[step.node]
        key = (step.node, step.what)
        asked = time.monotonic()
        (fault.begin if step.on else fault.end)(self.town, node)
        done = time.monotonic()
        self.log(str(step), step.node)
        if step.on:
            self._began[key] = (asked, done)
        else:
            begun = self._began.pop(key)
            self.troubles.append(Span(begun[0], done, step.node, step.what))
            if fault.breaks:
                self.broken.append(Span(begun[1], asked, step.node, step.what))

    # MARK: the daemon

    def _send(self, what: str) -> None:
        """One errand at a time; those that come meanwhile are left out."""
        if self._errand is None or not self._errand.is_alive():
            self._errand = threading.Thread(target=self._go, args=(what,), daemon=True)
            self._errand.start()

    def await_errand(self) -> None:
        if self._errand:
            self._errand.join()

    def _go(self, what: str) -> None:
        self.log(f"daemon: {what}")
        began = time.monotonic()
        try:
            if what == "reload":
                self._variant = 1 - self._variant
                self.daemon.rewrite(self._variant)
                if self.daemon.reload().wait():
                    self.failures.append("a reload was refused")
            else:
                self._renew(what)
                self.blind.append((began, time.monotonic()))
        except Failure as failure:
            self.failures.append(str(failure))
        self.log(f"daemon: {what} done")

    def _renew(self, what: str) -> None:
        before = self.daemon.process
        if what == "kill":
            self.daemon.kill()
        elif what == "restart":
            self.daemon.stop()
        self.daemon.launch(*(["--takeover"] if what == "takeover" else []))
        self.daemon.await_ready()
        if what == "takeover" and before.wait(60):
            raise Failure(f"the predecessor ended with status {before.returncode}")
