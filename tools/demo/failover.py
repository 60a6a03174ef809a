"""A node goes down and comes back; each answer of one client is watched meanwhile."""
from console import say
from flip import Watcher, flip
from lab import Lab
from oracle import Oracle
from server import Server
from survey import Client


def failover(lab: Lab, server: Server, oracle: Oracle, client: Client) -> tuple[int, float]:
    """Returns the number of wrong answers and the milliseconds of the way down."""
    first = oracle.nearest(client.place)
    second = oracle.nearest(client.place, frozenset([first.id]))
    watcher = Watcher(lab, client.prefix, client.by_ecs)
    watcher.start()
    try:
        if watcher.next_change() is None:
            raise server.failure("no answer to the watcher's queries")
        down = flip(server, watcher, first.id, "down")
        up = flip(server, watcher, first.id, "up")
    finally:
        watcher.stopping.set()
        watcher.join()
    seen = [answer for _, answer in watcher.changes]
    right = [first.address(client.version), second.address(client.version), first.address(client.version)]
    say(f"client {client.label} in {client.place.city.split(' (')[0]}: nearest {first.id} ({first.city})")
    say(f"`nearcast node set {first.id} down`  → {down.answer}, {second.id} ({second.city})")
    say(f"    {down.told_ms:.2f} ms from the API call to the first changed answer on the wire")
    say(f"    {down.command_ms:.1f} ms from starting the command")
    say(f"`nearcast node set {first.id} up`    → {up.answer} after {up.told_ms:.2f} ms")
    say(f"{watcher.asked:,} queries during this, {watcher.lost} lost")
    if seen != right or watcher.lost:
        say(f"WRONG: answers {' → '.join(seen)}; expected {' → '.join(right)}, none lost")
        return 1, down.told_ms
    return 0, down.told_ms
