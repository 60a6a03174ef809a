import CommandLineText
import FoundationEssentials
import ManagementTypes
import Testing

@Suite struct InspectTextTests {
    @Test("every verdict is listed, the most frequent first, with a dash where a path does not have it")
    func counters() {
        let report = CountersReport(fastPath: ["answered": 5, "declined": 3, "short": 0], slowPath: ["answered": .max])
        #expect(
            report.text(.plain) == """
                counter   fast path                   slow path
                answered          5  18,446,744,073,709,551,615
                declined          3                           –
                short             0                           –

                """)
    }

    @Test("a list of names that is cut says how many more there are")
    func names() {
        let report = NamesReport(
            total: 5_000,
            names: [
                NameReport(
                    name: "www.example.com", zone: "example.com", kind: "tailored", types: ["A", "AAAA"], pool: "web",
                    policy: "nearest", steeringTable: 0, hash: "00ff"),
                NameReport(name: "example.com", zone: "example.com", kind: "data", types: ["SOA"], hash: "0100"),
            ])
        #expect(
            report.text(.plain) == """
                name             kind      types   zone         pool  policy   steering  hash
                www.example.com  tailored  A AAAA  example.com  web   nearest         0  00ff
                example.com      data      SOA     example.com                           0100

                2 of 5,000 names

                """)
    }

    @Test("a location shows the memory accesses of its lookup")
    func location() {
        let report = LocationReport(
            prefix: "203.0.113.9", leaf: "203.0.113.0/24", scope: 24, location: 5,
            place: ClientPlace(known: true, latitude: 1.5, longitude: 2, country: "SG"), steps: ["root 203", "leaf"])
        #expect(
            report.text(.plain) == """
                asked   203.0.113.9
                leaf    203.0.113.0/24
                scope   /24
                place   SG (1.50, 2.00)
                number  5

                Steps
                root 203
                leaf

                """)
    }

    @Test("free slots are shown as free")
    func nodeWords() {
        let report = NodeTableReport(
            generation: 1,
            nodes: [
                NodeWordReport(slot: 0, node: "fra1", word: "01", state: .up, share: 256, ttl: 60, version: 3),
                NodeWordReport(slot: 1, word: "00", state: .unknown, share: 0, ttl: 0xff_ffff, version: 0),
            ])
        #expect(
            report.text(.plain) == """
                slot  node    word  state    share   TTL  version
                   0  fra1    01    up       100 %  60 s        3
                   1  (free)  00    unknown    0 %   max        0

                generation 1

                """)
    }

    @Test("detaching without an attached program says so")
    func detach() {
        #expect(DetachReport(interfaces: [], removed: []).text(.plain) == "nothing was attached or pinned\n")
        let report = DetachReport(interfaces: ["eth0"], removed: ["/sys/fs/bpf/nearcast/link-eth0"])
        #expect(
            report.text(.plain) == """
                detached from eth0: user space answers now

                Removed
                /sys/fs/bpf/nearcast/link-eth0

                """)
    }
}
