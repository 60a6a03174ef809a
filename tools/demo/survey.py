"""Clients of six continents ask with kdig, and each answer is compared with the independent computation."""
import ipaddress
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from console import Failure, say, table
from lab import SERVER, Lab
from oracle import Oracle, Place
from server import NAME, Server


@dataclass(frozen=True)
class Client:
    """`prefix` is sent as client subnet, or is the address that the query comes from."""

    prefix: ipaddress.IPv4Network | ipaddress.IPv6Network
    by_ecs: bool
    place: Place

    @property
    def version(self) -> int:
        return self.prefix.version

    @property
    def label(self) -> str:
        return str(self.prefix) if self.by_ecs else str(self.prefix.network_address)


@dataclass(frozen=True)
class Answer:
    address: str
    ttl: int
    scope: int | None


def read_clients(path: Path, oracle: Oracle) -> list[Client]:
    clients = []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        prefix, how = line.split("\t")
        network = ipaddress.ip_network(prefix)
        locate = oracle.ecs_place if how == "ecs" else oracle.place
        place = locate(network.network_address)
        if place is None:
            raise Failure(f"{path.name}: the database has no location for {prefix}")
        clients.append(Client(network, how == "ecs", place))
    return clients


def ask(lab: Lab, client: Client) -> Answer:
    """One kdig query from the client side: A over IPv4, AAAA over IPv6."""
    type = "A" if client.version == 4 else "AAAA"
    how = [f"+subnet={client.prefix}"] if client.by_ecs else ["-b", str(client.prefix.network_address)]
    command = ["kdig", f"@{SERVER[client.version]}", *how, "+edns", "+timeout=2", "+retry=1", NAME, type]
    output = subprocess.run(lab.command("cli", *command), capture_output=True, text=True).stdout
    records = re.findall(rf"^{re.escape(NAME)}\.\s+(\d+)\s+IN\s+{type}\s+(\S+)", output, re.MULTILINE)
    if len(records) != 1:
        raise Failure(f"{client.label}: one address expected; `{' '.join(command)}` printed\n{output}")
    scope = re.search(r"CLIENT-SUBNET: \S+/\d+/(\d+)", output, re.IGNORECASE)
    return Answer(records[0][1], int(records[0][0]), int(scope[1]) if scope else None)


def survey(lab: Lab, server: Server, oracle: Oracle, clients: list[Client]) -> int:
    """Prints the table; returns the number of wrong answers."""
    lab.add_clients([str(client.prefix.network_address) for client in clients if not client.by_ecs])
    rows, wrong, fast = [], 0, 0
    before = server.fast_path_answers()
    for client in clients:
        answer = ask(lab, client)
        after = server.fast_path_answers()
        by_xdp, before = after > before, after
        node = oracle.by_address.get(answer.address)
        ok = node is not None and oracle.accepts(client.place, node)
        wrong += not ok
        fast += by_xdp
        expected = oracle.nearest(client.place)
        rows.append([
            f"{client.place.city.split(' (')[0]}, {client.place.country} ({client.place.continent})",
            "ECS" if client.by_ecs else "source",
            client.label,
            answer.address,
            f"{node.id} {node.city}" if node else "?",
            f"{oracle.distances(client.place)[node.index]:,.0f}" if node else "?",
            str(answer.ttl),
            "-" if answer.scope is None else f"/{answer.scope}",
            "XDP" if by_xdp else "user space",
            "ok" if ok else f"WRONG, nearest is {expected.id}",
        ])
    header = ["client", "known by", "prefix", "answer", "node", "km", "TTL", "scope", "path", "check"]
    print(table(header, rows, right=frozenset(["km", "TTL", "scope"])))
    say(f"{len(rows)} clients, {wrong} wrong, {fast} answered in XDP")
    return wrong
