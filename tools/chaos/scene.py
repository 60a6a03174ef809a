"""What scenarios use: the network of nodes, the daemon, and the states that packets see."""
import ipaddress
import time

import wire
from console import Failure, say
from control import Control
from daemon import Daemon, Pace
from lab import Lab
from oracle import Node, Oracle
from server import NAME
from town import Town
from words import USABLE, Words

# In Frankfurt am Main, where a node is.
CLIENT = ipaddress.ip_network("89.245.124.0/24")
POLL_S = 0.005


class Unexpected(Exception):
    """An expectation of the scenario failed."""


class Scene:
    """One daemon, whose nodes are all up when a scenario begins."""

    def __init__(self, lab: Lab, town: Town, daemon: Daemon, oracle: Oracle, words: Words, pace: Pace):
        self.lab, self.town, self.daemon, self.oracle, self.words, self.pace = lab, town, daemon, oracle, words, pace
        self.nodes = oracle.nodes
        self.control = Control(daemon.socket)
        self._socket = lab.client_socket(4, source_port=1390)
        self._asked = 0

    def group(self, number: int) -> list[Node]:
        """Nodes that are checked alike; see daemon.py."""
        return [node for node in self.nodes if node.index % 5 == number]

    def expect(self, holds: bool, text: str) -> None:
        if not holds:
            raise Unexpected(text)

    # MARK: states

    def states(self) -> dict[str, str]:
        return {change.node: change.state for change in list(self.words.seen)}

    def down(self) -> set[str]:
        return {node for node, state in self.states().items() if state not in USABLE}

    def changes(self, since: float) -> list:
        return [change for change in list(self.words.seen) if change.after > since]

    def await_state(self, node: Node, state: str, since: float, between: tuple[float, float]) -> float:
        """Seconds from `since` until packets see the state, which must lie there."""
        while time.monotonic() - since < between[1] + 0.5:
            change = next((change for change in self.changes(since) if change.node == node.id and change.state == state), None)
            if change:
                took = change.after - since
                self.expect(between[0] <= took <= between[1],
                            f"{node.id} was {state} after {took:.2f} s, expected {between[0]:.2f} to {between[1]:.2f}")
                return took
            time.sleep(POLL_S)
        raise Unexpected(f"{node.id} was not {state} within {between[1]:.1f} s")

    def mend(self) -> None:
        """Removes what an aborted scenario left."""
        for node in self.nodes:
            self.town.serve(node, "well")
            self.control.set_node(node.id, "auto")
        self.town.unblock()

    def calm(self) -> None:
        """Waits until all nodes are up, and the brake has forgotten the failures."""
        limit = time.monotonic() + self.pace.return_s + 10
        while self.down():
            if time.monotonic() > limit:
                raise Failure(f"not back: {', '.join(sorted(self.down()))}")
            time.sleep(0.05)
        falls = [change.after for change in self.words.seen if change.state == "down"]
        # Whole shares, too.
        time.sleep(max(self.pace.slow_start / 1e3 + 0.5, self.pace.hold_s - (time.monotonic() - max(falls, default=0))))

    def evidence(self, node: Node) -> str:
        """Of the transition that was written last."""
        return self.control.get(f"/v1/nodes/{node.id}/history?limit=1")[0].get("evidence", "")

    def metric(self, name: str) -> float:
        return next(float(line.rsplit(" ", 1)[1]) for line in self.control.metrics().splitlines()
                    if line.startswith(name))

    # MARK: answers

    def answer(self, network=CLIENT) -> wire.Reply:
        """The current answer to a client."""
        self._asked += 1
        question = wire.query(self._asked & 0xFFFF, NAME, wire.A, network)
        self._socket.send(question)
        while (data := self._socket.recv(4096))[:2] != question[:2]:
            pass
        reply = wire.parse(data)
        self.expect(not reply.rcode and len(reply.addresses) == 1, f"an empty answer: {reply}")
        return reply

    def answered(self, network=CLIENT) -> Node:
        return self.oracle.by_address[self.answer(network).addresses[0]]

    def nearest(self, network=CLIENT) -> list[Node]:
        """All nodes, the nearest first."""
        distances = self.oracle.distances(self.oracle.ecs_place(network.network_address))
        return sorted(self.nodes, key=lambda node: distances[node.index])

    def say(self, text: str) -> None:
        say(text)
