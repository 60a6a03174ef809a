import CommandLineText
import FoundationEssentials
import Testing

@Suite struct GeoInstallReportTests {
    private static func database(_ day: Double) -> GeoInstallReport.Database {
        .init(type: "City", builtAt: Date(timeIntervalSince1970: day * 86_400), networks: 1_200)
    }

    @Test("an update names both databases, and the way back")
    func update() {
        let report = GeoInstallReport(
            action: .update, path: "/c.mmdb", installed: Self.database(20_001), earlier: Self.database(20_000),
            previousPath: "/c.mmdb.previous")
        #expect(
            report.text(.plain) == """
                installed: /c.mmdb: City, built 2024-10-05, 1,200 networks
                  before: City, built 2024-10-04, 1,200 networks, now at /c.mmdb.previous
                  `nearcast geo rollback` returns to it

                """)
    }

    @Test("an older one is pointed out; the first one has none before")
    func older() {
        let report = GeoInstallReport(
            action: .rollback, path: "/c.mmdb", installed: Self.database(20_000), earlier: Self.database(20_001),
            previousPath: "/c.mmdb.previous")
        #expect(report.text(.plain).hasSuffix("\n  warning: the one before is newer\n"))
        let first = GeoInstallReport(
            action: .update, path: "/c.mmdb", installed: Self.database(20_000), earlier: nil, previousPath: nil)
        #expect(first.text(.plain) == "installed: /c.mmdb: City, built 2024-10-04, 1,200 networks\n")
    }
}
