import CommandLineText
import FoundationEssentials
import ManagementTypes
import Testing

@Suite struct StatusTextTests {
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)
    private static let status = StatusReport(
        version: "0.1.0", pid: 42, startedAt: start, uptimeSeconds: 3_725, epoch: 7, digest: "00ff",
        fastPath: [
            InterfaceReport(
                interface: "eth0", mode: .native, programID: 12, tag: "abcd",
                unsent: UnsentReport(total: 20_000, lastMinute: 1_234)),
            InterfaceReport(interface: "eth10", mode: .off, reason: "no such interface"),
        ], layoutVersion: 1, generation: 0, listen: ["192.0.2.53:53", "[2001:db8::53]:53"],
        nodes: NodeCounts(total: 20, byState: ["drained": 1, "up": 18, "down": 1]),
        counters: CountersReport(
            fastPath: ["answered": 12_000, "too short": 0], slowPath: ["answered": 7, "refused": 8]),
        memory: [TableMemory(table: "locations", bytes: 33_554_432), TableMemory(table: "names", bytes: 1_536)],
        geo: GeoReport(
            database: "/var/lib/nearcast/city.mmdb", builtAt: start, networks: 11_600_000, locations: 350_000,
            loadSeconds: 4.21),
        zones: ZonesReport(
            total: 2, records: 1_004, failed: 1,
            zones: [
                ZoneReport(origin: "example.com.", serial: 2_026_112_201, records: 4, loadedAt: start),
                ZoneReport(origin: "a.test.", serial: 7, records: 1_000, loadedAt: start, problem: "a.zone:3:1: no"),
            ]),
        reloads: ReloadsReport(
            changed: 3, refused: 1, lastIsRefused: true, lastAt: start, problems: ["c.yaml:1:1: no"], watch: .apply))

    @Test("an alias with many addresses shows a dozen, and how many more there are")
    func aliases() {
        var status = Self.status
        let addresses = (1...32).map { "192.0.2.\($0)" }
        status.aliases = [
            AliasReport(name: "example.com.", target: "cdn.example.net.", addresses: addresses, addressCount: 4_089)
        ]
        let text = status.text(.plain)
        #expect(text.contains("192.0.2.11, 192.0.2.12 and 4,077 more") && !text.contains("192.0.2.13"))
    }

    @Test("status shows daemon, fast path with reasons, both paths' messages and memory")
    func whole() {
        #expect(
            Self.status.text(.plain) == """
                daemon     nearcastd 0.1.0, pid 42, up 1 h 2 min
                started    2023-11-14 22:13:20 UTC
                listening  192.0.2.53:53, [2001:db8::53]:53
                model      epoch 7, digest 00ff
                tables     generation 0, layout 1
                nodes      20: 18 up, 1 down, 1 drained
                geo        /var/lib/nearcast/city.mmdb, built 2023-11-14, 11,600,000 networks, 350,000 places, read in 4.2 s

                Zones: 2, 1,004 records
                zone              serial  records  loaded                   problem
                example.com.  2026112201        4  2023-11-14 22:13:20 UTC
                a.test.                7    1,000  2023-11-14 22:13:20 UTC  a.zone:3:1: no

                Reloads: 3 changed, 1 refused, the last 2023-11-14 22:13:20 UTC; files are watched

                The last reload was refused
                c.yaml:1:1: no

                Fast path
                interface  mode    program  tag   reason
                eth0       native       12  abcd
                                                  1,234 replies did not leave it in the last minute
                eth10      off                    no such interface

                Messages
                counter   fast path  slow path
                answered     12,000          7
                refused           –          8

                Memory
                table         size
                locations   32 MiB
                names      1.5 KiB
                total       32 MiB

                """)
    }

    @Test("missing interfaces, messages and databases get a sentence, not an empty table")
    func bare() {
        var status = Self.status
        status.fastPath = []
        status.counters = CountersReport(fastPath: ["answered": 0], slowPath: [:])
        status.memory = []
        status.geo = nil
        let text = status.text(.plain)
        #expect(text.contains("geo        no database: every client's location is unknown\n"))
        #expect(
            text.hasSuffix(
                """

                Fast path: off in the configuration; user space answers everything

                Messages: none yet

                """))
    }
}
