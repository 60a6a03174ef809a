import CommandLineText
import Testing

@Suite struct CheckReportTests {
    private static let size = CheckReport.ModelSize(
        digest: "00ff", nodes: 20, pools: 1, zones: 1, names: 1_204, tailoredNames: 2, steeringTables: 2,
        maximumSteeringTables: 256, places: 350_000, locationTableBytes: 41 << 20)

    @Test("a good configuration is summed up in one line, and warnings follow")
    func good() {
        let warning = CheckReport.Warning(id: "unused-node", place: "n.yaml:3:1", text: "never used", remedy: "use it")
        let report = CheckReport(configuration: "nearcast.yaml", warnings: [warning], model: Self.size)
        #expect(report.ok)
        #expect(
            report.text(.plain) == """
                ok: 20 nodes, 1 pool, 1 zone (1,204 names), 2 tailored names, 2 steering tables of 256, 350,000 places, \
                location table 41 MiB
                warning: n.yaml:3:1: never used: use it [unused-node]

                """)
    }

    @Test("without a database, the line says what was not checked")
    func withoutDatabase() {
        let basics = CheckReport.Basics(nodes: 2, pools: 1, zones: 1, names: 3, tailoredNames: 1)
        #expect(
            CheckReport(configuration: "nearcast.yaml", basics: basics).text(.plain) == """
                ok: 2 nodes, 1 pool, 1 zone (3 names), 1 tailored name; without the database, places and steering tables \
                were not checked

                """)
    }

    @Test("a bad configuration lists its problems, one a line")
    func bad() {
        let report = CheckReport(configuration: "nearcast.yaml", problems: ["n.yaml:1:1: one", "n.yaml:2:1: two"])
        #expect(!report.ok)
        #expect(report.text(.plain) == "n.yaml:1:1: one\nn.yaml:2:1: two\n")
    }

    @Test("warnings follow the problems")
    func badWithWarnings() {
        let report = CheckReport(
            configuration: "nearcast.yaml", problems: ["n.yaml:1:1: one"],
            warnings: [.init(id: "zone-spf", place: nil, text: "two")])
        #expect(!report.ok)
        #expect(report.text(.plain) == "n.yaml:1:1: one\nwarning: two [zone-spf]\n")
    }
}
