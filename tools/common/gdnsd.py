"""gdnsd with Nearcast's nodes and database: tailored names by plugin_geoip, which chooses the nearest."""
from pathlib import Path

from oracle import Node


def command(folder: Path, address: str, database: Path, nodes: list[Node], zone: str, head: str, labels: list[str],
            options: str = "") -> list[str]:
    """Writes its configuration into `folder`, and a zone of `head` and the names of `labels`; returns how it is started.
    `options` are more lines of its section of that name."""
    for name in ("zones", "run", "state"):
        (folder / name).mkdir()
    (folder / "zones" / zone).write_text(head + "".join(f"{label} 60 DYNA geoip!www\n" for label in labels))
    coordinates = "".join(f"{node.id} => [ {node.latitude}, {node.longitude} ]\n" for node in nodes)
    addresses = "".join(f"{node.id} => {node.address(4)}\n" for node in nodes)
    (folder / "config").write_text(f"""options => {{
    listen => {address}
    edns_client_subnet => true
    run_dir => {folder}/run
    state_dir => {folder}/state
{options}}}
plugins => {{ geoip => {{
    maps => {{ world => {{
        geoip2_db => {database}
        datacenters => [{', '.join(node.id for node in nodes)}]
        auto_dc_coords => {{
{coordinates}        }}
    }} }}
    resources => {{ www => {{ map => world, service_types => up, dcmap => {{
{addresses}    }} }} }}
}} }}
""")
    return ["gdnsd", "-c", str(folder), "start"]
