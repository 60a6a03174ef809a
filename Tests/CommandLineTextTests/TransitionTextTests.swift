import CommandLineText
import FoundationEssentials
import ManagementTypes
import Testing

@Suite struct TransitionTextTests {
    private static func change(_ cause: String, evidence: String? = nil, author: String? = nil) -> TransitionReport {
        TransitionReport(
            sequence: 1, time: Date(timeIntervalSince1970: 1_700_000_000.204), node: "fra1", from: .up, to: .down,
            cause: cause, authority: author == nil ? "checks" : "person", evidence: evidence, author: author, epoch: 7)
    }

    @Test("a change is one line with what was seen, or who asked for it")
    func line() {
        #expect(
            Self.change("checks", evidence: "icmp 192.0.2.1: no answer within 500 ms").line(.plain)
                == "2023-11-14 22:13:20.204 UTC  fra1  up → down  icmp 192.0.2.1: no answer within 500 ms\n")
        #expect(Self.change("claim", author: "ann: disks").line(.plain).hasSuffix("  ann: disks\n"))
    }

    @Test("a history is a table, and an empty one is a sentence")
    func table() {
        #expect(
            [Self.change("claim", author: "ann: disks")].text(.plain) == """
                when                         from  to    cause          why         epoch
                2023-11-14 22:13:20.204 UTC  up    down  person, claim  ann: disks      7

                """)
        #expect([TransitionReport]().text(.plain) == "no changes yet\n")
    }

    @Test("the result of a change of many nodes is one line")
    func many() {
        let nodes: [NodesStateReport.Node] = [
            .init(id: "a", state: .drained), .init(id: "b", state: .up), .init(id: "c", state: .drained),
        ]
        let report = NodesStateReport(nodes: nodes, changed: 1, tookMicroseconds: 61)
        #expect(report.text == "3 nodes (1 changed): 1 up, 2 drained; packets saw it after 61 µs\n")
        let starting = Date(timeIntervalSinceNow: 600)
        let back = NodesStateReport(
            nodes: [.init(id: "a", state: .up, fullShareAt: starting), .init(id: "b", state: .up)], changed: 1,
            tookMicroseconds: 61)
        #expect(
            back.text
                == "2 nodes (1 changed): 2 up; packets saw it after 61 µs; slow start of 1: full shares in 10 min 0 s\n"
        )
    }

    @Test("a checked node is shown with its checks and its windows")
    func checks() {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        var node = NodeReport(
            id: "fra1", state: .up, share: 256, ttl: 2, addresses: ["198.51.100.10"],
            location: NodeLocation(latitude: 50.11, longitude: 8.68), slot: 3, version: 4)
        node.checks = [
            NodeCheckReport(
                check: "tcp 198.51.100.10:443", verdict: "up", contrary: 1, fall: 3, rise: 5,
                evidence: "connection refused", result: "failed", checkedAt: time, tookMicroseconds: 210)
        ]
        #expect(node.text(.plain).contains("  connection refused  "))
        node.checks?[0].result = "unasked"
        #expect(node.text(.plain).contains("  could not ask: connection refused  "))
        node.checks?[0].result = "failed"
        node.windows = [WindowReport(begins: time, ends: time.addingTimeInterval(7_200), setBy: "ann")]
        let text = node.text(.plain)
        #expect(
            text.hasSuffix(
                """
                Maintenance
                begins                   ends                     by
                2023-11-14 22:13:20 UTC  2023-11-15 00:13:20 UTC  ann

                Checks
                check                  verdict  against  last result           took  when
                tcp 198.51.100.10:443  up       1 of 3   connection refused  210 µs  2023-11-14 22:13:20 UTC

                """), "\(text)")
    }
}
