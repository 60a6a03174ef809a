"""Scenarios: one failure at a time, each with its expected timeline."""
import time
from collections.abc import Callable

from faults import DNS, HTTP, HTTPS, MIXED, TCP
from scene import Scene
from verify import random_networks

CLIENTS = 500


def _window(scene: Scene, fall: bool, doubled: int = 0) -> tuple[float, float]:
    """Seconds in which a failure, or a recovery after so many doublings of `rise`, takes effect."""
    pace = scene.pace
    count = pace.fall if fall else pace.rise << doubled
    shortest = 0.95 * (count - 1) * pace.interval / 1e3
    return shortest, (1.05 * count + 0.5) * pace.interval / 1e3 + pace.timeout / 1e3


def half_open(scene: Scene) -> None:
    """The kernel takes connections, and the server does nothing: a port that is open proves nothing."""
    for group in (TCP, HTTP, HTTPS, MIXED):
        node = scene.group(group)[0]
        began = time.monotonic()
        scene.town.serve(node, "frozen")
        took = scene.await_state(node, "down", began, _window(scene, True))
        evidence = scene.evidence(node)
        scene.expect("no answer within" in evidence, f"{node.id}: evidence {evidence!r}")
        scene.say(f"{node.id} frozen, down after {took:.2f} s: {evidence}")
    for group in (TCP, HTTP, HTTPS, MIXED):
        scene.town.serve(scene.group(group)[0], "well")


def flapping(scene: Scene) -> None:
    """Each fall soon after a recovery doubles what brings the node back, three times at most."""
    node = scene.group(TCP)[1]
    for doublings in (0, 1, 2, 3, 3):
        began = time.monotonic()
        scene.town.serve(node, "killed")
        down = scene.await_state(node, "down", began, _window(scene, True))
        began = time.monotonic()
        scene.town.serve(node, "well")
        up = scene.await_state(node, "up", began, _window(scene, False, doublings))
        scene.say(f"{node.id} down after {down:.2f} s, up again {up:.2f} s after its server")


def brake(scene: Scene) -> None:
    """Most fail at once in one way: half of them are believed, the rest once it has lasted, or when two kinds agree."""
    victims = [node for node in scene.nodes if node.index % 5 in (TCP, HTTP, HTTPS, DNS)][:28]
    sure = {node.id for node in victims if node.index % 5 == DNS}
    began = time.monotonic()
    for node in victims:
        scene.town.serve(node, "killed")
    time.sleep(_window(scene, True)[1] + 1)
    down, allowed = scene.down(), len(scene.nodes) // 2
    scene.expect(sure <= down, f"those that fail in two ways are not all out: {', '.join(sorted(sure - down))}")
    scene.expect(allowed <= len(down) <= allowed + len(sure), f"{len(down)} are out, {allowed} at least may be")
    held = {node.id for node in victims} - down
    scene.expect(scene.metric("nearcast_nodes_held") == len(held), "the metric does not count the held nodes")
    scene.say(f"{len(victims)} of {len(scene.nodes)} killed: {len(down)} out, {len(held)} held")
    while scene.down() != {node.id for node in victims}:
        scene.expect(time.monotonic() - began < scene.pace.hold_s + _window(scene, True)[1] + 3,
                     f"still held: {', '.join(sorted({node.id for node in victims} - scene.down()))}")
        time.sleep(0.05)
    late = [change.after - began for change in scene.changes(began) if change.node in held and change.state == "down"]
    scene.expect(min(late) >= scene.pace.hold_s, f"a held node was out after {min(late):.1f} s")
    scene.say(f"held nodes were out {min(late):.1f} to {max(late):.1f} s after the failure; hold {scene.pace.hold_s} s")
    for node in victims:
        scene.town.serve(node, "well")


def expiry(scene: Scene) -> None:
    """A certificate that is over, or of another name, takes a node out."""
    node = scene.group(HTTPS)[2]
    for doublings, mode in enumerate(("expired", "misnamed")):
        began = time.monotonic()
        scene.town.serve(node, mode)
        took = scene.await_state(node, "down", began, _window(scene, True))
        evidence = scene.evidence(node)
        scene.expect("TLS" in evidence, f"{node.id}: evidence {evidence!r}")
        scene.say(f"{node.id} {mode}, down after {took:.2f} s: {evidence[:110]}")
        began = time.monotonic()
        scene.town.serve(node, "well")
        scene.await_state(node, "up", began, _window(scene, False, doublings))


def partition(scene: Scene) -> None:
    """The daemon is cut off for a time below the brake's: those checked in one way stay beyond the half that is believed."""
    two_ways = {node.id for group in (HTTP, DNS, MIXED) for node in scene.group(group)}
    began = time.monotonic()
    for node in scene.nodes:
        scene.town.block(node, "gone", True)
    time.sleep(_window(scene, True)[1] + 1)
    down = scene.down()
    scene.expect(two_ways <= down, f"nothing is heard of {', '.join(sorted(two_ways - down))} in two ways")
    kept = {node.id for node in scene.nodes} - down
    scene.expect(time.monotonic() - began < scene.pace.hold_s, "the machine is too slow for this scenario")
    scene.expect(bool(kept), "all nodes are out")
    scene.expect(scene.answered().id in kept, "a node that is out is answered though others are not")
    for node in scene.nodes:
        scene.town.block(node, "gone", False)
    time.sleep(scene.pace.interval / 1e3 * 2)
    fell = {change.node for change in scene.changes(began) if change.state == "down"}
    scene.expect(not fell & kept, f"fell though all was over: {', '.join(sorted(fell & kept))}")
    scene.say(f"{len(down)} of {len(scene.nodes)} out, of these {len(two_ways & down)} by two kinds; {len(kept)} stayed")


def all_down(scene: Scene) -> None:
    """All nodes are down: clients get the same nodes with a short TTL, and the alarm is raised."""
    before, first = scene.metric("nearcast_pool_usable_nodes"), scene.answered()
    began = time.monotonic()
    for node in scene.nodes:
        scene.town.serve(node, "killed")
    while len(scene.down()) < len(scene.nodes):
        scene.answer()
        scene.expect(time.monotonic() - began < scene.pace.hold_s + 8, "not all nodes are out")
        time.sleep(0.02)
    time.sleep(0.1)
    reply = scene.answer()
    scene.expect(scene.answered() == first, f"{scene.answered().id} is answered, {first.id} was before")
    scene.expect(reply.ttl == 10, f"the TTL is {reply.ttl}, and not the policy's least")
    scene.expect(scene.metric("nearcast_pool_usable_nodes") == 0, "the metric does not show that no node is usable")
    scene.expect("no node of the pool is usable" in scene.daemon.log.read_text(errors="replace"), "no alarm in the log")
    scene.say(f"{before:.0f} nodes out after {time.monotonic() - began:.1f} s; {first.id} is answered, TTL {reply.ttl}")
    for node in scene.nodes:
        scene.town.serve(node, "well")


def eight(scene: Scene) -> None:
    """The eight nearest nodes of a client are out: the ninth is answered, and not by the all-down rule."""
    order, before = scene.nearest(), scene.daemon.ask("status")["counters"]["fastPath"].get("all_down", 0)
    began = time.monotonic()
    for node in order[:8]:
        scene.town.serve(node, "killed")
    for node in order[:8]:
        scene.await_state(node, "down", began, (0, _window(scene, True)[1] + 0.5))
    scene.expect(scene.answered() == order[8], f"{scene.answered().id} is answered, the ninth is {order[8].id}")
    after = scene.daemon.ask("status")["counters"]["fastPath"].get("all_down", 0)
    scene.expect(before == after, f"the all-down rule was used {int(after) - int(before)} times")
    scene.say(f"{', '.join(node.id for node in order[:8])} out: {order[8].id} is answered")
    for node in order[:8]:
        scene.town.serve(node, "well")


def restart(scene: Scene) -> None:
    """A daemon that is killed and started changes no state and no answer."""
    out, drained = scene.group(TCP)[3], scene.group(HTTP)[3]
    began = time.monotonic()
    scene.town.serve(out, "killed")
    scene.control.set_node(drained.id, "drained", author="chaos")
    scene.await_state(out, "down", began, _window(scene, True))
    # What is known goes to disk within a moment.
    time.sleep(1)
    networks = random_networks(scene.oracle, 4, CLIENTS, seed=7)
    answers = [scene.answer(network).addresses for network in networks]
    began = time.monotonic()
    scene.daemon.kill()
    scene.daemon.launch()
    scene.daemon.await_ready()
    scene.control.close()  # it was the one before's
    ready = time.monotonic() - began
    time.sleep(_window(scene, True)[1] + 1)
    changes = [f"{change.node} {change.state}" for change in scene.changes(began)]
    scene.expect(not changes, f"states changed: {', '.join(changes)}")
    moved = sum(scene.answer(network).addresses != before for network, before in zip(networks, answers))
    scene.expect(not moved, f"{moved} of {CLIENTS} answers changed")
    scene.say(f"killed, ready after {ready:.1f} s: {out.id} is down and {drained.id} drained as before, "
              f"{CLIENTS} answers the same")
    scene.town.serve(out, "well")
    scene.control.set_node(drained.id, "auto")


SCENARIOS: dict[str, Callable[[Scene], None]] = {
    "half-open": half_open, "flapping": flapping, "expiry": expiry, "eight": eight, "restart": restart,
    "brake": brake, "partition": partition, "all-down": all_down,
}
