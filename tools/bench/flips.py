"""A node is marked down: milliseconds to the first changed answer on the wire."""
import ipaddress

from console import waiting
from figures import Figure
from flip import Watcher, flip
from lab import Lab
from oracle import Oracle
from server import Server

# In Frankfurt am Main, where a node is.
CLIENT = ipaddress.ip_network("89.245.124.0/24")


def measure(lab: Lab, server: Server, oracle: Oracle, runs: int) -> Figure:
    """Down and up again, `runs` times; only the ways down count."""
    place = oracle.ecs_place(CLIENT.network_address)
    first = oracle.nearest(place)
    second = oracle.nearest(place, frozenset([first.id]))
    watcher = Watcher(lab, CLIENT, by_ecs=True)
    watcher.start()
    down = []
    try:
        if watcher.next_change() is None:
            raise server.failure("no answer to the watcher's queries")
        with waiting(f"{runs} times {first.id} down and up"):
            for _ in range(runs):
                changed = flip(server, watcher, first.id, "down")
                back = flip(server, watcher, first.id, "up")
                if (changed.answer, back.answer) != (second.address(4), first.address(4)):
                    raise server.failure(f"wrong answers: {changed.answer} when down, {back.answer} when up")
                down.append(changed.told_ms)
    finally:
        watcher.stopping.set()
        watcher.join()
    if watcher.lost:
        raise server.failure(f"{watcher.lost} of {watcher.asked:,} queries were lost")
    note = f"from the command's first byte at the daemon; {watcher.asked:,} queries meanwhile, none lost"
    return Figure.of("flip_ms", down, "ms", note)
