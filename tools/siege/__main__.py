"""Runs all attacks by strangers at once, and measures what honest clients lose.

Creates namespaces for a router, 64 hostile networks and honest ones, and always removes them. Exits with status 1 if a limit is
exceeded."""
import argparse
import contextlib
import hashlib
import json
import os
import platform
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMMON = HERE.parent / "common"
sys.path[1:1] = [str(COMMON), str(HERE.parent / "bench"), str(HERE.parent / "chaos")]
CACHE = Path(os.environ.get("NEARCAST_CACHE", Path.home() / ".cache" / "nearcast"))

import attacks
import certificates
import watch
import wire
from child import end
from console import Failure, heading, say, waiting
from control import Control
from ending import told
from field import Field
from figures import Figure, Report
from honest import BIG, STRINGS, TXT
from lab import SERVER, Lab, check_host
from napi import Pair
from oracle import Oracle, read_nodes
from server import HERE as COMMON_HERE
from server import Server, Service

BEFORE_S, BEHIND_S = 10, 3
# Of a CPU, of programs that have no part in the siege.
OTHERS = 0.2
PATIENCE_S = 60
# As a shell or a container starts a program: the daemon has to see to its descriptors itself.
SOFT_DESCRIPTORS = 1024
MOVED = re.compile(r"^(nearcast_(?:udp|connections|report|queries|control|slow|probes|fast_path)\w*(?:\{[^}]*\})?) (\S+)$", re.MULTILINE)


class Child:
    """A Python program at high priority, next to this one. Its input begins with a line of `settings`."""

    def __init__(self, name: str, settings: dict | None, *arguments):
        self.name = name
        self.process = subprocess.Popen(["nice", "-n", "-5", sys.executable, HERE / name, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, start_new_session=True)
        with contextlib.suppress(OSError):
            Path(f"/proc/{self.process.pid}/autogroup").write_text("-5")
        if settings is not None:
            self.tell(json.dumps(settings))
        if self.process.stdout.readline() != "ready\n":
            raise Failure(f"{name} did not start")

    def tell(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def result(self) -> list[dict]:
        """Ends it, and reads what it found."""
        output, _ = self.process.communicate(timeout=PATIENCE_S)
        if self.process.returncode:
            raise Failure(f"{self.name} failed")
        return json.loads(output)

    def close(self) -> None:
        if self.process.poll() is None:
            end(self.process)


class Siege:
    """One siege of one daemon. Before it the same is measured without attacks."""

    def __init__(self, options: argparse.Namespace, report: Report, links: Pair, field: Field, server: Server, token: str,
                 folder: Path):
        self.options, self.report, self.links, self.field, self.server = options, report, links, field, server
        self.pid, self.dice, self.folder = server.process.pid, random.Random(options.seed), folder
        place = {"router": str(field.router), "honest": str(field.honest)}
        self.stack = contextlib.ExitStack()
        self.nodes = watch.Nodes(field, server, self.dice)
        self.stack.callback(self.nodes.close)
        with waiting("the honest clients"):
            self.askers = self._child("honest.py", place | {"database": str(options.database), "seed": options.seed,
                                                            "nodes": str(COMMON / "nodes20.tsv")})
            self.nodes.await_up()
        self.place = place | {"token": token}

    def _child(self, name: str, settings: dict | None, *arguments) -> Child:
        child = Child(name, settings, *arguments)
        self.stack.callback(child.close)
        return child

    def metrics(self) -> dict[str, float]:
        """Those of interest; none when the daemon does not answer."""
        with contextlib.suppress(OSError), Control(self.server.socket) as control:
            return {name: float(value) for name, value in MOVED.findall(control.metrics())}
        return {}

    def run(self) -> None:
        with self.stack:
            self._run()

    def _run(self) -> None:
        with waiting(f"{BEFORE_S} s without attacks"):
            self.askers.tell("before")
            time.sleep(BEFORE_S)
        self.askers.tell("start")
        self.memory = watch.resident_mib(self.pid)
        before, dropped, reflected = self.metrics(), self.field.dropped(), self.field.reflected()
        question = wire.query(7, BIG, TXT)
        body, self.status = watch.Body(self.pid), watch.Status(self.server)
        streams = self._child("streams.py", self.place)
        watches = [self._child("stalls.py", None, cpu) for cpu in os.sched_getaffinity(0)]
        chargen, idlers = attacks.Chargen(self.field), attacks.Idlers(self.server.socket)
        all = attacks.Attacks(self.field, self.folder, self.dice, question, self.options.seconds + 60)
        machine, cpu, mine, began = watch.Machine.now(), watch.cpu_s(self.pid), time.process_time(), time.monotonic()
        asking, linked = watch.cpu_s(self.askers.process.pid), self.links.all_ns()
        with waiting(f"{self.options.seconds} s of siege"):
            with body, all, chargen, idlers:
                self.askers.tell("siege")
                with self.status, self.nodes:
                    time.sleep(self.options.seconds)
                self.askers.tell("behind")
                honest = watch.cpu_s(self.askers.process.pid) - asking + watch.cpu_s(streams.process.pid)
                self.streamed = streams.result()
        self.took = time.monotonic() - began
        self.machine = watch.Machine.now().since(machine)
        self.cpu = (body.cpu - cpu) / self.took
        self.linked = (self.links.all_ns() - linked) / 1e9 / self.took
        self.tools = (all.cpu / self.took, (honest + time.process_time() - mine) / self.took)
        time.sleep(BEHIND_S)
        if self.server.process.poll() is not None:
            self.report.fail(str(self.server.failure(f"nearcastd ended with status {self.server.process.returncode} during the siege")))
        self.asked = self.askers.result()
        self.stalls = [stall for child in watches for stall in child.result()]
        after = self.metrics()
        self.counters = {name: after[name] - before.get(name, 0) for name in sorted(after) if after[name] != before.get(name, 0)}
        self.dropped = self.field.dropped() - dropped
        self.reflected = self.field.reflected() - reflected
        self.body, self.attacks, self.chargen, self.idlers = body, all, chargen, idlers
        self.judge()

    # MARK: judgement

    def judge(self) -> None:
        heading("Load")
        for attack in self.attacks.all:
            say(attack.told())
            if not attack.tally:
                self.report.fail(f"the attack \"{attack.name}\" did not run to its end: nothing is shown")
        say(f"control socket: {self.idlers.most:,} idle connections, {self.idlers.refused:,} refused")
        say(f"port 19: {self.chargen.sparks} forged packets, {self.chargen.rounds:,} rounds")
        for name, moved in self.counters.items():
            say(f"{name} {moved:+,.0f}")
        heading("Figures")
        self._datagrams()
        self._streams()
        self._daemon()
        self._checks()
        self._machine()

    def _phase(self, phase: str, fast: bool) -> dict:
        return next(found for found in self.asked if found["phase"] == phase and found["fast"] == fast)

    def _datagrams(self) -> None:
        for name, fast in (("siege_lost_fast", True), ("siege_lost_slow", False)):
            found, calm = self._phase("siege", fast), self._phase("before", fast)
            where = "; ".join(f"{what} {count}" for what, count in sorted(found["where"].items()))
            still = sum(any(begin - 0.01 < at < end for begin, end, _ in self.stalls) for at in found["lost_at"])
            note = (f"{found['lost']} lost ({still} of them while a processor stood still) and {found['wrong']} wrong of "
                    f"{found['asked']:,}, and {calm['lost'] + calm['wrong']} of "
                    f"{calm['asked']:,} before. {where} {' '.join(found['examples'])}").strip()
            bad = found["lost"] + found["wrong"]
            value = bad if fast else round(bad / max(1, found["asked"]), 6)
            self.report.add(Figure(name, value, "queries" if fast else "of the queries", 1, value, value, note))
        found, calm = self._phase("siege", False), self._phase("before", False)
        note = f"median {found['p50_ms']:.2f}, longest {found['max_ms']:.1f} ms; before: {calm['p50_ms']:.2f}, 99th {calm['p99_ms']:.2f}"
        self.report.add(Figure.of("siege_p99_ms", [found["p99_ms"]], "ms", note))
        fast = self._phase("siege", True)
        say(f"    the fast path's: median {fast['p50_ms']:.2f}, 99th percentile {fast['p99_ms']:.2f}, longest {fast['max_ms']:.1f} ms")

    def _streams(self) -> None:
        worst, notes = 0.0, []
        for client in self.streamed:
            if client["kind"] == "report":
                continue
            # A failure is as bad as the longest patience.
            longest = max(client["seconds"] + [5.0] * bool(client["failures"]), default=5.0)
            worst = max(worst, longest)
            total = len(client["seconds"]) + len(client["failures"])
            notes.append(f"{client['kind']} IPv{client['version']}: {len(client['failures'])} of {total} failed, longest "
                         f"{max(client['seconds'], default=0):.2f} s{', ' + client['failures'][0] if client['failures'] else ''}")
        self.report.add(Figure.of("siege_connect_s", [worst], "s", "; ".join(notes), digits=3))

    def _daemon(self) -> None:
        ratio = self.body.memory / self.memory
        self.report.add(Figure.of("siege_memory_ratio", [ratio], "×", f"{self.memory:.0f} MiB before, {self.body.memory:.0f} at the most; "
                                  f"{self.body.now:.0f} at its end; {self.body.descriptors:,} descriptors at the most"))
        self.report.add(Figure.of("siege_cpu", [self.cpu], "of a CPU", "of the daemon, the program apart"))
        self.report.add(Figure("siege_reflected", self.reflected, "replies", 1, self.reflected, self.reflected,
                               f"to ports where a service answers anything; {self.chargen.rounds:,} rounds of a loop"))

    def _checks(self) -> None:
        reports = next(client for client in self.streamed if client["kind"] == "report")
        wrong = [*self.nodes.missed, *(f"status: {late}" for late in self.status.late),
                 *(f"report: {failure}" for failure in reports["failures"])]
        took = "; ".join(f"{state} in {sum(found) / len(found):.2f} s on average, {max(found):.2f} at the longest, {len(found)} times"
                         for state, found in self.nodes.took.items() if found)
        note = (f"nodes {len(self.nodes.missed)} ({took}), status {len(self.status.late)} of {len(self.status.seconds)} (longest "
                f"{max(self.status.seconds, default=0):.2f} s), reports {len(reports['failures'])} of "
                f"{len(reports['failures']) + len(reports['seconds'])} (longest {max(reports['seconds'], default=0):.2f} s). "
                f"{'; '.join(wrong[:4])}").strip()
        self.report.add(Figure("siege_checks_missed", len(wrong), "of nodes, status and reports", 1, len(wrong), len(wrong), note))

    def _machine(self) -> None:
        machine, processors = self.machine, os.cpu_count()
        busy = processors * (1 - machine.idle - machine.steal)
        others = max(0.0, busy - processors * machine.interrupts - self.cpu - self.linked - sum(self.tools))
        say(f"machine: of {processors} CPUs {busy:.2f} busy: the daemon {self.cpu:.2f}, attackers {self.tools[0]:.2f}, honest clients and this tool "
            f"{self.tools[1]:.2f}, the links' threads {self.linked:.2f}, soft interrupts {processors * machine.interrupts:.2f}, what has no part "
            f"in it {others:.2f}; "
            f"{machine.steal:.1%} stolen; {self.dropped:,} frames found no room on the link to the server")
        if self.stalls:
            longest = max(end - begin for begin, end, _ in self.stalls)
            say(f"MACHINE: a processor ran nothing at all of this {len(self.stalls)} times for 20 ms and longer, once for "
                f"{longest * 1e3:.0f} ms: the hypervisor, or another program in the kernel")
        short = [attack.name for attack in self.attacks.all if attack.fell_short]
        if short:
            say(f"MACHINE: these did not reach their rates: {', '.join(short)}: the siege was lighter than it should be")
        if others > OTHERS:
            say("MACHINE: other programs ran during the siege: lost and late replies may be their fault")
        if machine.idle < 0.03 or machine.steal > 0.05:
            say("MACHINE: its processors were the limit: lost and late replies may be its fault")
        if self.dropped:
            say("MACHINE: frames were dropped before they reached the server: they count as lost")


def write_configuration(server: Server, token: str, folder: Path) -> None:
    """A zone with an answer that the program leaves to user space, TLS, reports, and checked nodes."""
    certificates.make(folder)
    (folder / "tokens").write_text(f"node {watch.REPORTER} sha256:{hashlib.sha256(token.encode()).hexdigest()}\n")
    zone = (COMMON_HERE / "zones" / "example.com.zone").read_text()
    (folder / "siege.zone").write_text(zone + "big IN TXT " + " ".join(f'"{text}"' for text in STRINGS) + "\n")
    text = server.config.read_text()
    checks = f"{{interval: 500ms, timeout: 400ms, fall: {watch.FALL}, rise: {watch.RISE}, slow_start: 0s, checks: [{{type: http, port: 80}}]}}"
    nodes = "".join(f"  - {{id: {id}, addresses: [{watch.address(id)}], location: {{latitude: 1, longitude: {at}}}, health: {checks}}}\n"
                    for at, id in enumerate([*watch.CHECKED, watch.HOSTILE]))
    nodes += (f"  - {{id: {watch.REPORTER}, addresses: [198.18.201.1], location: {{latitude: 2, longitude: 2}}, "
              "health: {checks: [{type: report}]}}\n")
    checked = ", ".join([*watch.CHECKED, watch.HOSTILE, watch.REPORTER])
    text = text.replace("pools:\n", f"{nodes}pools:\n  - {{id: checked, nodes: [{checked}]}}\n")
    listen = ", ".join(f'"{host}:853"' for host in (SERVER[4], f"[{SERVER[6]}]"))
    text += "  - {name: checked.example.com, pool: checked, policy: judged}\n"
    text += f"tls: {{listen: [{listen}], certificate: {folder}/good.pem, key: {folder}/good.key}}\n"
    server.config.write_text(text)


def service(folder: Path) -> Service:
    reports = f'{{listen: ["{SERVER[4]}:{attacks.REPORTS}"], tokens: {folder}/tokens, plain: true}}'
    return Service(zones=(("example.com", folder / "siege.zone"),), health=f"{{brake: off, reports: {reports}}}")


@contextlib.contextmanager
def descriptors(soft: int):
    """The soft limit of a program that is started within."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, limits[1]), limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/siege", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120, help="length of the attacks (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of forged packets and of node failures (default %(default)s)")
    parser.add_argument("--descriptors", type=int, default=SOFT_DESCRIPTORS, help="soft limit of the daemon's descriptors (default %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE, one JSON object per line")
    parser.add_argument("--prefix", default=os.environ.get("NEARCAST_LAB", "nearcast-siege"),
                        help="prefix of the names of namespaces (default %(default)s)")
    parser.add_argument("--database", type=Path, default=CACHE / "city.mmdb", help="default %(default)s")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release", help="default %(default)s")
    return parser.parse_args()


def run(options: argparse.Namespace, report: Report) -> None:
    check_host(options.database)
    attacks.build()
    token = hashlib.sha256(f"siege {options.seed}".encode()).hexdigest()
    oracle = Oracle(options.database, read_nodes(COMMON / "nodes20.tsv"))
    with tempfile.TemporaryDirectory(prefix="nearcast-siege-") as name, Lab(options.prefix) as lab, Field(lab) as field:
        folder = Path(name)
        server = Server(lab, options.binaries, options.database, oracle.nodes, service(folder))
        write_configuration(server, token, folder)
        with descriptors(options.descriptors):
            server.__enter__()
        with contextlib.ExitStack() as stack:
            stack.push(server.__exit__)
            # After the program is on the link: before, it has no queues that a thread could have. What ends the lab ends it.
            links = Pair(lab).__enter__()
            Siege(options, report, links, field, server, token, folder).run()


def main() -> None:
    options = arguments()
    report = Report(options.json)
    heading("Siege")
    say(f"{os.cpu_count()} CPUs, Linux {platform.release()}, load {os.getloadavg()[0]:.1f}, seed {options.seed}")
    say(f"command: {' '.join([sys.executable, *sys.argv])}")
    with told("siege"):
        run(options, report)
    broken = [figure.name for figure in report.figures if not figure.reached]
    heading(f"Broken: {', '.join(broken)}" if broken else "The siege was held")
    sys.exit(1 if broken or report.failures else 0)


main()
