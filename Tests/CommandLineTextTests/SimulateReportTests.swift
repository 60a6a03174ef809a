import CommandLineText
import Testing

@Suite struct SimulateReportTests {
    private static let before = SimulateReport.Spread(
        nodes: [
            .init(node: "fra1", share: 0.75, distance: .init(mean: 500, median: 400, p95: 1_640)),
            .init(node: "nyc1", share: 0.25, distance: .init(mean: 900, median: 800, p95: 2_000)),
        ], unanswered: 0, unlocated: 0, distance: .init(mean: 600, median: 500, p95: 1_900))

    @Test("one scenario lists the nodes, the busiest first")
    func one() {
        let report = SimulateReport(
            configuration: "c.yaml", against: nil, down: [], name: "www.a.", type: "A",
            clients: .init(unit: .addresses, count: 4_000, groups: 12), before: Self.before)
        #expect(
            report.text(.plain) == """
                www.a. A: 4,000 located IPv4 addresses in 12 blocks

                node   share    mean      95 %
                fra1  75.0 %  500 km  1,640 km
                nyc1  25.0 %  900 km  2,000 km
                all    100 %  600 km  1,900 km

                """)
    }

    @Test("a comparison shows the load of each node afterwards, and the clients that move")
    func two() {
        let after = SimulateReport.Spread(
            nodes: [.init(node: "nyc1", share: 0.9996, distance: .init(mean: 3_000, median: 2_000, p95: 6_000))],
            unanswered: 0.0004, unlocated: 0, distance: .init(mean: 3_000, median: 2_000, p95: 6_000))
        let report = SimulateReport(
            configuration: "c.yaml", against: nil, down: ["fra1"], name: "www.a.", type: "AAAA",
            clients: .init(unit: .queries, count: 4_000, groups: 12, others: 3), before: Self.before, after: after,
            moved: 0.75,
            moves: [.init(from: "fra1", to: "nyc1", share: 0.7496), .init(from: "fra1", to: nil, share: 0.0004)])
        #expect(
            report.text(.plain) == """
                www.a. AAAA: 4,000 queries of 12 clients; 3 for other names or types

                node   share     then    mean      then      95 %      then
                fra1  75.0 %      0 %  500 km            1,640 km
                nyc1  25.0 %  100.0 %  900 km  3,000 km  2,000 km  6,000 km
                all    100 %  100.0 %  600 km  3,000 km  1,900 km  6,000 km

                75.0 % of the clients move to another node.

                from  to          share
                fra1  nyc1       75.0 %
                fra1  no answer  0.04 %

                """)
    }
}
