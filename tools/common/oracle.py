"""The independent computation: finds the nearest node by brute force, from the database and the list of nodes."""
import ipaddress
import math
from dataclasses import dataclass
from pathlib import Path

import maxminddb

from policy import TIE_KM, Policy

EARTH_RADIUS_KM = 6371.0088
# ECS queries are placed by the first address of a block of this many bits, however fine the database is.
FINEST_SCOPE = {4: 24, 6: 56}


@dataclass(frozen=True)
class Node:
    """A line of the node file; `index` gives it its addresses."""

    index: int
    id: str
    city: str
    latitude: float
    longitude: float
    country: str
    continent: str

    def address(self, version: int) -> str:
        if version == 4:
            return f"198.18.{self.index // 256}.{self.index % 256}"
        return str(ipaddress.IPv6Address("2001:db8:18::") + self.index)


@dataclass(frozen=True)
class Place:
    """Where the database puts an address: degrees, and what to call it."""

    latitude: float
    longitude: float
    city: str
    country: str
    continent: str


def read_nodes(path: Path) -> list[Node]:
    """Lines of id, city, latitude, longitude, country and continent; or of city, latitude and longitude."""
    rows = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    rows = [row if len(row) > 3 else [f"pop{index}", *row, "", ""] for index, row in enumerate(rows)]
    return [
        Node(index, id, city, float(latitude), float(longitude), country, continent)
        for index, (id, city, latitude, longitude, country, continent) in enumerate(rows)
    ]


def great_circle_km(a: Node | Place, b: Node | Place) -> float:
    """Haversine: unlike the arc cosine, exact to the millimetre for neighbours too."""
    phi_a, phi_b = math.radians(a.latitude), math.radians(b.latitude)
    half_phi = (phi_b - phi_a) / 2
    half_lambda = math.radians(b.longitude - a.longitude) / 2
    h = math.sin(half_phi) ** 2 + math.cos(phi_a) * math.cos(phi_b) * math.sin(half_lambda) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(h)))


class Oracle:
    """Answers "which node?" without anything of Nearcast."""

    def __init__(self, database: Path, nodes: list[Node], policy: Policy = Policy()):
        self.nodes = nodes
        self.policy = policy
        self.by_address = {node.address(version): node for node in nodes for version in (4, 6)}
        self._reader = maxminddb.open_database(str(database))
        self._distances: dict[tuple[float, float], list[float]] = {}
        self._verdicts: dict[tuple, bool] = {}

    def place(self, address) -> Place | None:
        """The place of one address, None where the database has none."""
        record = self._reader.get(address) or {}
        location = record.get("location") or {}
        if "latitude" not in location or "longitude" not in location:
            return None
        return Place(
            location["latitude"],
            location["longitude"],
            record.get("city", {}).get("names", {}).get("en", "?"),
            record.get("country", {}).get("iso_code", "?"),
            record.get("continent", {}).get("code", "?"),
        )

    def ecs_place(self, address) -> Place | None:
        """The location of a client subnet: that of the first address of its block."""
        spare = address.max_prefixlen - FINEST_SCOPE[address.version]
        return self.place(type(address)(int(address) >> spare << spare))

    def distances(self, place: Place) -> list[float]:
        """Kilometres to every node, in the order of the node file."""
        key = (place.latitude, place.longitude)
        if key not in self._distances:
            self._distances[key] = [great_circle_km(place, node) for node in self.nodes]
        return self._distances[key]

    def nearest(self, place: Place, without: frozenset[str] = frozenset()) -> Node:
        distances = self.distances(place)
        return min((node for node in self.nodes if node.id not in without), key=lambda node: distances[node.index])

    def accepts(self, place: Place, node: Node, without: frozenset[str] = frozenset()) -> bool:
        """Whether `node` is a nearest one: a tie within a metre is no error."""
        distances = self.distances(place)
        best = distances[self.nearest(place, without).index]
        return node.id not in without and distances[node.index] <= best + TIE_KM

    def allows(self, place: Place, answers: list[Node]) -> bool:
        """Whether the policy may answer a client at `place` with these, in this order."""
        key = (place.latitude, place.longitude, place.country, *(node.index for node in answers))
        if key not in self._verdicts:
            self._verdicts[key] = self.policy.accepts(place, self.nodes, self.distances(place), answers)
        return self._verdicts[key]
