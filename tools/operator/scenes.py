"""Scenes of an operator's week. Each one gets a town of its own."""
import json
import re
import shutil
import subprocess
import time

import lints
from console import Failure
from town import NODES, ZONE, Manager, Town

BER4, BER6, NYC6 = "10.77.0.10", "fd77::10", "fd77::20"


def _open_all(town: Town) -> None:
    for node in NODES:
        for family in (4, 6):
            town.open(node, family)


def _all_up(town: Town) -> None:
    town.until(lambda: set(town.states("IPv4").values()) | set(town.states("IPv6").values()) == {"up"}, 20,
               "the nodes do not come up")


def families(town: Town) -> None:
    """A node whose IPv6 dies leaves the AAAA answers, and only these"""
    _open_all(town)
    town.configure()
    town.start()
    _all_up(town)
    town.expect(town.answer("A") == [BER4] and town.answer("AAAA") == [BER6], "the nearest node is answered over both families")
    town.close("ber/6")
    town.until(lambda: town.states("IPv6")["ber"] == "down", 10, "the dead address is not noticed")
    town.expect(town.answer("A") == [BER4], "A still leads to it")
    town.expect(town.answer("AAAA") == [NYC6], "AAAA leads to the next node")
    text = town.nearcast("node", "list").stdout
    town.expect("up (IPv6 down)" in text, "node list shows the family")
    town.expect("over one family only" in town.nearcast("status").stdout, "status counts it")
    why = town.nearcast("explain", "www.example.com", "AAAA", "--from", "192.0.2.0/24").stdout
    town.expect("is down" in why, "explain says why")
    history = town.json("node", "history", "ber")
    town.expect(any(change.get("family") == "IPv6" and change["to"] == "down" for change in history), "the history has the family")
    town.expect("family=IPv6" in "\n".join(line for line in town.log_lines() if "node down" in line), "the log has the family")
    town.open("ber", 6)
    town.until(lambda: town.answer("AAAA") == [BER6], 10, "the node does not come back over IPv6")
    town.expect(True, "it comes back")
    last = town.nearcast("node", "drain", "ber", "nyc", "sin")
    town.expect(last.returncode != 0 and "last usable" in last.stderr, "the last usable nodes stay")


def unasked(town: Town) -> None:
    """A host that loses its route takes no node out"""
    _open_all(town)
    town.configure()
    town.start()
    _all_up(town)
    town.on("srv", "ip", "addr", "del", "10.77.0.1/24", "dev", "op0")
    town.on("srv", "ip", "-6", "addr", "del", "fd77::1/64", "dev", "op0")
    time.sleep(4)
    town.expect(set(town.states().values()) == {"up"}, "all nodes stay up")
    checks = [check for node in town.nodes().values() for check in node["checks"]]
    town.expect(all(check["result"] == "unasked" for check in checks), "the results are unasked: "
                + ", ".join(sorted({check["result"] for check in checks})))
    town.expect(town.answer("A") == [BER4], "answers go on")
    town.on("srv", "ip", "addr", "add", "10.77.0.1/24", "dev", "op0")
    town.on("srv", "ip", "-6", "addr", "add", "fd77::1/64", "dev", "op0", "nodad")
    town.until(lambda: all(check["result"] == "passed" for node in town.nodes().values() for check in node["checks"]), 10,
               "the nodes are not asked again")
    town.expect(True, "with the route they are asked again")


def held(town: Town) -> None:
    """Mass failure: nodes that are kept in rotation are seen as held; refusals are believed"""
    _open_all(town)
    town.configure(health="interval: 500ms, timeout: 300ms, fall: 2, rise: 2, slow_start: 0s, brake: {percent: 50, hold: 5s}, "
                   "checks: [{type: tcp, port: 80}]")
    town.start()
    _all_up(town)
    # The cable is cut at the far end: nothing answers, and nothing is refused.
    town.on("far", "ip", "link", "set", "op1", "down")
    town.until(lambda: "held" in town.states("IPv4").values(), 10, "no node is held")
    town.expect("held" in town.nearcast("node", "list").stdout, "node list says held")
    town.expect("held" in town.nearcast("status").stdout, "status says held")
    town.expect("held" in town.nearcast("explain", "www.example.com", "A", "--from", "192.0.2.0/24", "--all").stdout, "explain says held")
    town.expect(any("mass-failure protection" in line for line in town.log_lines()), "the log says so")
    town.until(lambda: "held" not in town.states("IPv4").values(), 15, "the hold does not end")
    falls = [change for node in NODES for change in town.json("node", "history", node) if change["to"] == "down"]
    town.expect(bool(falls) and all(change.get("evidence") for change in falls), "each node that was let go has its evidence")
    town.on("far", "ip", "link", "set", "op1", "up")
    # A link that was down has lost its IPv6 addresses.
    for number, _, _ in NODES.values():
        town.on("far", "ip", "-6", "addr", "add", f"fd77::{number}/64", "dev", "op1", "nodad")
    town.until(lambda: set(town.states("IPv4").values()) == {"up"}, 20, "the nodes do not come back")
    for node in NODES:
        town.close(f"{node}/4")
    begin = time.monotonic()
    town.until(lambda: set(town.states("IPv4").values()) == {"down"}, 4.5, "refused connections are doubted")
    town.expect(True, f"refused connections are believed after {time.monotonic() - begin:.1f} s, without the hold")


def words(town: Town) -> None:
    """Who and why: drain, undrain, planned maintenance"""
    _open_all(town)
    town.configure()
    town.start()
    _all_up(town)
    town.nearcast("node", "drain", "ber", "--reason", "disks", "--author", "ann")
    town.nearcast("node", "undrain", "ber", "--reason", "done", "--author", "bob")
    last = town.json("node", "history", "ber")[0]
    town.expect("bob" in (last.get("author") or "") and "done" in (last.get("author") or ""), "undrain keeps author and reason")
    planned = town.nearcast("node", "maintenance", "ber", "--start", "2027-01-31T22:00:00Z", "--for", "1h")
    town.expect("maintenance is planned from" in planned.stdout, f"a planned window is acknowledged with its times: {planned.stdout.strip()}"
                f"{planned.stderr.strip()}")
    logged = [line for line in town.log_lines() if "node state requested" in line]
    town.expect(any("reason=" in line and "ann" in line for line in logged), "the log has who and why as fields")


def statuses(town: Town) -> None:
    """Exit statuses say what a restart cannot mend"""
    town.configure()
    bad = town.folder / "bad.yaml"
    bad.write_text("listen: [nowhere]\n")
    def run(*arguments: str) -> subprocess.CompletedProcess:
        return town.on("srv", str(town.binaries / "nearcastd"), *arguments)
    town.expect(run("--nonsense").returncode == 64, "a wrong option is 64")
    town.expect(run(str(bad)).returncode == 78, "a wrong configuration is 78")
    town.expect(run(str(town.folder / "missing.yaml")).returncode == 78, "a missing configuration is 78")
    town.start()
    second = run(str(town.folder / "nearcast.yaml"))
    town.expect(second.returncode == 69, f"a second daemon is 69: {second.returncode}")
    town.expect(town.stop() == 0, "a stop is 0")
    (town.folder / "state").rename(town.folder / "away")
    (town.folder / "state").write_text("a file")
    broken = run(str(town.folder / "nearcast.yaml"))
    town.expect(broken.returncode in (74, 78) and "Cocoa" not in broken.stderr + broken.stdout, f"state that cannot be written is {broken.returncode}")


def readiness(town: Town) -> None:
    """The service manager hears readiness, status, watchdog and stop"""
    _open_all(town)
    town.configure()
    manager = Manager(town.folder)
    town.start(environment={"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": "2000000"})
    town.until(lambda: "READY=1" in manager.listen(), 10, "it is never ready")
    town.expect(town.answer("A") == [BER4] or bool(town.answer("A")), "it answers when it is ready")
    time.sleep(2.5)
    heard = manager.listen()
    town.expect(heard.count("WATCHDOG=1") >= 2, f"the watchdog hears it: {heard.count('WATCHDOG=1')} times in 2.5 s")
    town.expect(any(line.startswith("STATUS=") and "zone" in line for line in heard), "the status has a text")
    town.stop()
    town.expect("STOPPING=1" in manager.listen(), "the stop is announced")


def logs(town: Town) -> None:
    """Log lines can be parsed: logfmt and JSON"""
    _open_all(town)
    town.configure()
    town.start()
    _all_up(town)
    town.nearcast("node", "drain", "ber", "--reason", 'he said "no = yes"', "--author", "ann")
    town.stop()
    pattern = re.compile(r'(?:[\w.]+=(?:"(?:[^"\\]|\\.)*"|[^\s"]*)(?: |$))+')
    bad = [line for line in town.log_lines() if not pattern.fullmatch(line)]
    town.expect(not bad, f"every line is logfmt{': ' + bad[0] if bad else ''}")
    (town.folder / "log").unlink()
    town.start("--log-format", "json")
    town.stop()
    lines = town.log_lines()
    try:
        read = [json.loads(line) for line in lines]
        town.expect(bool(read) and all({"time", "level", "message"} <= set(line) for line in read), "every line is JSON")
    except json.JSONDecodeError as error:
        town.expect(False, f"a line is not JSON: {error}")


def metrics(town: Town) -> None:
    """Metrics are sound, by promtool, and follow the states"""
    _open_all(town)
    town.configure("metrics: {listen: [127.0.0.1:9153]}\n")
    town.start()
    _all_up(town)
    status, text = town.http("/metrics")
    town.expect(status == 200 and "nearcast_nodes_held" in text, f"the listener gives metrics: {status}")
    if not shutil.which("promtool"):
        raise Failure("promtool is missing: `tools/setup --with operator` installs it")
    judged = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    town.expect(judged.returncode == 0, f"promtool finds nothing{': ' + judged.stderr.strip()[:300] if judged.returncode else ''}")
    town.expect(town.http("/metrics", "HEAD")[0] == 200, "HEAD is answered")
    other = town.http("/v1/nodes")[0]
    town.expect(other in (403, 404), f"nothing else is served: {other}")
    series = {line.rsplit(" ", 1)[0] for line in text.splitlines() if line and line[0] != "#"}
    town.close("ber/6")
    town.until(lambda: town.states("IPv6")["ber"] == "down", 10, "the dead address is not noticed")
    later = {line.rsplit(" ", 1)[0] for line in town.http("/metrics")[1].splitlines() if line and line[0] != "#"}
    gone = {line for line in series - later}
    town.expect(not gone, f"no series disappears when a node changes{': ' + sorted(gone)[0] if gone else ''}")


def programs(town: Town) -> None:
    """Checks and hooks by programs"""
    script, seen = town.folder / "check", town.folder / "seen"
    script.write_text(f"#!/bin/sh\n[ -e {town.folder}/bad ] && {{ echo replica is late; exit 2; }}\necho fine\n")
    hook = town.folder / "hook"
    hook.write_text(f'#!/bin/sh\necho "$NEARCAST_NODE $NEARCAST_FROM $NEARCAST_TO" >> {seen}\n')
    for path in (script, hook):
        path.chmod(0o755)
    town.configure(health=f"interval: 500ms, timeout: 400ms, fall: 2, rise: 2, slow_start: 0s, brake: off, checks: [{{type: command, "
                   f"run: [{script}]}}], hooks: [{{run: [{hook}], on: [down]}}]")
    town.start()
    _all_up(town)
    (town.folder / "bad").touch()
    town.until(lambda: set(town.states().values()) == {"down"}, 10, "the program's failure changes nothing")
    check = town.nodes()["ber"]["checks"][0]
    town.expect("replica is late" in check["evidence"], f"its first line is the evidence: {check['evidence']}")
    town.until(lambda: seen.exists() and len(seen.read_text().splitlines()) >= 3, 10, "the hook is not called for each node")
    town.expect(all(line.endswith("up down") for line in seen.read_text().splitlines()), "the hook knows node, old and new state")


def providers(town: Town) -> None:
    """Aliases lead to outside hosts, whose health is checked by their names"""
    hosts = {"one.provider.test": "10.77.0.10", "two.provider.test": "10.77.0.20"}
    town.resolve(hosts)
    for node in ("ber", "nyc"):
        town.open(node)
    path = town.configure(
        "lookup: {servers: [127.0.0.2]}\n", health="interval: 500ms, timeout: 300ms, fall: 2, rise: 2, slow_start: 0s, brake: off, "
        "checks: [{type: tcp, port: 80}]")
    text = path.read_text()
    text = text.replace("pools: [", "".join(f"  - {{id: {name[:3]}, provider: {name}}}\n" for name in hosts) + "pools: [{id: cdn, nodes: "
                        "[one, two]}, ")
    text = text.replace("policies: [", "policies: [{id: order, strategy: static, ttl: {min: 1, max: 60}}, ")
    text = text.replace("tailored: [", "tailored: [{name: cdn.example.com, type: CNAME, pool: cdn, policy: order}, ")
    path.write_text(text)
    town.start()

    def leads_to(host: str) -> bool:
        return town.answer("A", name="cdn.example.com") == [host + "."]

    town.until(lambda: town.states()["one"] == town.states()["two"] == "up", 10, "the providers do not come up")
    town.expect(leads_to("one.provider.test"), "the alias leads to the first provider")
    town.expect("one.provider.test" in town.nearcast("node", "list").stdout, "node list shows its name")
    town.close("ber/4")
    town.until(lambda: leads_to("two.provider.test"), 10, "the alias does not leave the dead provider")
    town.expect(town.states()["one"] == "down", "the dead provider is down")
    town.open("ber")
    town.until(lambda: leads_to("one.provider.test"), 10, "the provider does not come back")
    # The name goes away at the provider's: what was cached lasts for its TTL of 5 s.
    town.close("resolver")
    town.resolve({name: address for name, address in hosts.items() if not name.startswith("one")})
    town.until(lambda: leads_to("two.provider.test"), 20, "a name that no longer exists changes nothing")
    check = town.nodes()["one"]["checks"][0]
    town.expect("does not exist" in check["evidence"], f"the evidence says so: {check['evidence']}")
    town.close("resolver")
    town.until(lambda: town.nodes()["two"]["checks"][0]["result"] == "unasked", 20, "a dead resolver is taken for a failure")
    town.expect(town.states()["two"] == "up", "without a resolver the last state stays")


def aliases(town: Town) -> None:
    """An apex has the addresses of an outside host, and follows them"""
    town.resolve({"cdn.provider.test": "192.0.2.80"})
    town.configure("lookup: {servers: [127.0.0.2]}\naliases: [{name: example.com, target: cdn.provider.test, ttl: 30}]\n",
                   health="interval: 1s")
    town.start()

    def has(*addresses: str) -> bool:
        return sorted(town.answer("A", name="example.com")) == sorted(addresses)

    town.until(lambda: has("192.0.2.80"), 10, "the apex does not get the address")
    serial = town.answer("SOA", name="example.com")
    town.close("resolver")
    town.resolve({"cdn.provider.test": "192.0.2.81"})
    town.until(lambda: has("192.0.2.81"), 20, "the apex does not follow its target")
    town.expect(town.answer("SOA", name="example.com") == serial, "the serial stays")
    refused = town.nearcast("record", "set", "example.com", "60", "A", "192.0.2.1")
    town.expect(refused.returncode != 0 and "is an alias of cdn.provider.test." in refused.stderr, "its addresses cannot be set by hand")
    town.close("resolver")
    town.until(lambda: "no reply in time" in town.nearcast("status").stdout or "refused" in town.nearcast("status").stdout, 20,
               "status does not show that the lookup fails")
    town.stop()
    town.start()
    town.expect(has("192.0.2.81"), "a restart without any recursive server serves the last address")
    town.stop()
    town.configure(health="interval: 1s")
    town.start()
    town.until(lambda: has(), 10, "the addresses stay although the alias is gone")
    town.expect(town.json("record", "list", "example.com", "--changed")["rrsets"] == [], "nothing is left of the alias")


def records(town: Town) -> None:
    """Changes of records have a history and a way back, and a deletion leaves nothing"""
    town.configure(health="interval: 1s")
    town.start()

    def change(*arguments: str) -> int:
        return town.json("record", *arguments)["change"]

    first = change("set", "new.example.com", "60", "A", "192.0.2.1", "--author", "ann")
    second = change("set", "new.example.com", "60", "A", "192.0.2.2", "192.0.2.3")
    history = town.json("record", "history", "example.com", "new.example.com")
    town.expect([entry["change"] for entry in history] == [second, first], "the history has both changes, the latest first")
    town.expect(history[0]["before"]["records"] == ["192.0.2.1"] and "before" not in history[1], "and what was before")
    town.expect("ann" in history[1]["author"], "and who made them")
    early = town.nearcast("record", "undo", "example.com", str(first))
    town.expect(early.returncode != 0 and "no longer as the change left it" in early.stderr, f"an earlier change is not undone: {early.stderr.strip()}")
    plan = town.nearcast("record", "undo", "example.com", str(second), "--dry-run").stdout
    town.expect("+ new.example.com. 60 IN A 192.0.2.1" in plan and "nothing has changed" in plan, "a dry run shows the lines")
    town.json("record", "undo", "example.com", str(second))
    town.expect(town.answer("A", name="new.example.com") == ["192.0.2.1"], "the undone change is answered as before it")
    town.json("record", "undo", "example.com", str(first))
    town.expect(town.answer("A", name="new.example.com") == [], "nothing is left of a name that the file does not have")
    town.expect(town.json("record", "list", "example.com", "--changed")["rrsets"] == [], "and no change is listed")
    town.nearcast("record", "set", "new.example.com", "60", "A", "192.0.2.9")
    town.nearcast("record", "delete", "new.example.com")
    town.expect(town.json("record", "list", "example.com", "--changed")["rrsets"] == [], "a deletion leaves nothing either")
    unknown = town.nearcast("record", "undo", "example.com", "1")
    town.expect(unknown.returncode != 0 and "record history" in unknown.stderr, "an unknown number is told with a remedy")
    town.stop()
    town.start()
    town.expect(len(town.json("record", "history", "example.com")) == 6, "the history survives a restart")
    town.nearcast("node", "drain", "ber", "--force")
    town.expect(any(entry["node"] == "ber" for entry in town.json("node", "history", "--all")), "node history --all has every node")


def unsent(town: Town) -> None:
    """Replies that the driver drops are told apart from those that left"""
    path = town.configure("metrics: {listen: [127.0.0.1:9153]}\n", health="interval: 1s")
    text = path.read_text().replace("listen: [127.0.0.1:53]", "listen: [10.77.0.1:53]")
    path.write_text(text.replace("fast_path: {mode: off}", "fast_path: {mode: native, interfaces: [op0]}"))
    town.on("far", "ethtool", "-K", "op1", "tx", "off")
    town.start()
    # The peer of the veth runs no program, so the driver cannot send what the program answers.
    asked = town.on("far", "kdig", "@10.77.0.1", "+timeout=1", "+retry=1", "www.example.com", "A")
    town.expect(asked.returncode != 0, "no reply leaves")
    town.until(lambda: "did not leave it" in town.nearcast("status").stdout, 30, "status does not show it")
    town.expect(any("replies do not leave the interface" in line for line in town.log_lines()), "the log has it")
    value = [line for line in town.http("/metrics")[1].splitlines() if line.startswith("nearcast_xdp_unsent_replies_total{")]
    town.expect(bool(value) and float(value[0].split()[-1]) >= 1, f"the metric counts them: {value}")


def warnings(town: Town) -> None:
    """Each warning of `check --strict` has a bad example that it finds, and the good one has none"""
    path = town.configure()
    good, zone = path.read_text(), ZONE.replace("ns A 127.0.0.1", "ns A 192.0.2.53")
    (town.folder / "feed.csv").write_text(lints.FEED)
    lints.write_certificate(town.folder)
    town.write_database("old.mmdb", age_days=200)

    def check(configuration: str, more: str = "", *arguments: str) -> tuple[int, set[str]]:
        path.write_text(configuration)
        lints.write_zone(town.folder / "zone", zone, more)
        done = town.check(str(path), "--strict", *arguments)
        return done.returncode, {word.strip("()[]") for word in (done.stdout + done.stderr).split()}

    try:
        status, words = check(good)
        town.expect(status == 0, f"the good example has no warning ({status})")
        bad = {name: (good, more) for name, more in lints.ZONES.items()}
        for name, (old, new) in lints.CONFIGURATIONS.items():
            if old not in good:
                raise Failure(f"the good example lacks {old}")
            bad[name] = (good.replace(old, new, 1), "")
        for name, (configuration, more) in bad.items():
            status, words = check(configuration, more)
            allowed, _ = check(configuration, more, "--allow", name)
            town.expect(status == 2 and name in words, f"{name} is found ({status})")
            town.expect(allowed == 0, f"{name} alone is found, and can be allowed ({allowed})")
    finally:
        (town.folder / "zone").write_text(ZONE)
    path.write_text(good)
    town.start()

    def logged(name: str) -> bool:
        return any(f"lint={name}" in line for line in town.log_lines())

    (town.folder / "zone").write_text(ZONE + "new A 192.0.2.8\n")
    town.nearcast("reload")
    town.expect(logged("zone-serial"), "zone-serial is in the log after a reload")
    town.nearcast("record", "set", "late.example.com", "60", "A", "192.0.2.8")
    town.stop()
    (town.folder / "zone").write_text(ZONE + "late CNAME host\n")
    town.start()
    town.expect(logged("zone-record-change"), "zone-record-change is in the log after a start")


SCENES = (families, unasked, held, words, statuses, readiness, logs, metrics, programs, providers, aliases, records, unsent, warnings)
