"""A bad example for each warning of `nearcast check`. The town's own configuration is the good one of all."""
import subprocess
from pathlib import Path

# What is added to the zone.
ZONES = {
    "zone-ttl-too-long": "long 2147483648 A 192.0.2.8",
    "zone-ttls-differ": "two 60 A 192.0.2.8\ntwo 61 A 192.0.2.9",
    "zone-repeated-record": "twice A 192.0.2.8\ntwice A 192.0.2.8",
    "zone-server-address": "@ NS absent",
    "zone-below-delegation": "sub NS ns.example.net.\nsub TXT never",
    "zone-final-dot": "mail MX 10 mx.example.com",
    "zone-dangling-target": "gone CNAME nothing",
    "zone-target-alias": "other CNAME host\nmail MX 10 other",
    "zone-target-address": "mail MX 10 192.0.2.8.",
    "zone-spf": '@ TXT "v=spf1 -all"\n@ TXT "v=spf1 ~all"',
}
# What is replaced in the configuration. Two warnings need a daemon, and the scene finds them in its log: zone-serial and
# zone-record-change.
CONFIGURATIONS = {
    "unused-node": ("nodes: [ber, nyc, sin]", "nodes: [ber, nyc]"),
    "unused-policy": ("policies: [", "policies: [{id: idle}, "),
    "unused-view": ("pools: [", "views: [{id: office, clients: [10.0.0.0/8]}]\npools: ["),
    "shared-address": ("10.77.0.20", "10.77.0.10"),
    "shared-check-target": ("port: 80", "port: 80, address: 10.77.0.2"),
    "ttl-below-detection": ("interval: 500ms", "interval: 10m"),
    "ttl-slows-failover": ("max: 60", "max: 3600"),
    "coordinates": ("latitude: 52.5, longitude: 13.4", "latitude: 13.4, longitude: 52.5, country: DE"),
    "missing-interface": ("fast_path: {mode: off}", "fast_path: {mode: native, interfaces: [absent0]}"),
    "hostname-without-address": ("{id: ber,", "{id: ber, hostname: ber.example.com,"),
    "policy-without-effect": ("nodes: [ber, nyc, sin]}]\npolicies: [{id: nearest,",
                              "nodes: [{id: ber, bias: 10}, nyc, sin]}]\npolicies: [{id: nearest, strategy: static,"),
    "view-record-types": (
        "pools: [{id: web, nodes: [ber, nyc, sin]}]\npolicies: [{id: nearest, ttl: {min: 1, max: 60}}]\n"
        "tailored: [{name: www.example.com, pool: web, policy: nearest}]",
        "  - {id: four, addresses: [10.77.0.40], location: {latitude: 52.5, longitude: 13.4}}\n"
        "views: [{id: office, clients: [10.0.0.0/8]}]\npools: [{id: inner, nodes: [four]}, {id: web, nodes: [ber, nyc, sin]}]\n"
        "policies: [{id: nearest, ttl: {min: 1, max: 60}}]\n"
        "tailored: [{name: www.example.com, pool: web, policy: nearest, views: {office: {pool: inner}}}]"),
    "geo-database-age": ("database: city.mmdb", "database: old.mmdb"),
    "certificate-expiry": ("listen: [127.0.0.1:53]",
                           "listen: [127.0.0.1:53]\ntls: {listen: [127.0.0.1:853], certificate: expired.pem, key: expired.key}"),
    "geo-override": ("geo: {database: city.mmdb}", "geo: {database: city.mmdb, overrides: [{prefix: 192.0.2.0/26, country: DE}]}"),
    "geo-geofeed": ("geo: {database: city.mmdb}", "geo: {database: city.mmdb, geofeed: feed.csv}"),
}
FEED = "203.0.113.0/24,DE,,,\nnonsense\n"


CA = """[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
[any]
commonName = supplied
"""


def write_certificate(folder: Path) -> None:
    """A certificate that ended long ago, with its key."""
    (folder / "ca.cnf").write_text(CA)
    (folder / "index.txt").touch()
    (folder / "serial").write_text("01\n")
    for arguments in (
        "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout expired.key -out expired.csr -subj /CN=ns.example.com",
        "ca -batch -selfsign -config ca.cnf -keyfile expired.key -in expired.csr -out expired.pem -notext -startdate 20200101000000Z "
        "-enddate 20200201000000Z",
    ):
        subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)


def write_zone(path: Path, zone: str, more: str) -> None:
    path.write_text(zone + more + "\n")
