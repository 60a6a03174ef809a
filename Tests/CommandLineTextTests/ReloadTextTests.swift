import CommandLineText
import ManagementTypes
import Testing

@Suite struct ReloadTextTests {
    private static let report = ReloadReport(
        trigger: .command, epoch: 8, digest: "00fe", changed: true,
        zones: .init(total: 40, added: ["a."], changed: (1...10).map { "z\($0)." }, count: 11), nodes: .init(total: 2),
        tailored: .init(total: 1, removed: ["w.a."], count: 1), pools: .init(total: 1),
        policies: .init(total: 2, added: ["spare"], count: 1), settings: ["rate_limit", "aliases"], database: true,
        steering: true, fastPath: .program, fastPathReason: "the fast path takes 16 cells, there are 17",
        problems: ["b.zone:3:1: no"],
        warnings: ["n.yaml:3:5: policy \"spare\" is used by no tailored name [unused-policy]"], loadSeconds: 0.25,
        tookSeconds: 0.5)

    @Test("a reload reports what changed, how long it took, and what could not be loaded")
    func whole() {
        #expect(
            Self.report.text(.plain) == """
                reloaded: epoch 8, digest 00fe, in 500 ms (250 ms to load)
                  zones added: a.
                  zones changed: z1. z2. z3. z4. z5. z6. z7. z8. …
                  11 of 40 zones in all
                  policies added: spare
                  tailored names removed: w.a.
                  settings changed: rate_limit, aliases
                  database changed
                  candidate lists rebuilt
                  the program was replaced: the fast path takes 16 cells, there are 17
                b.zone:3:1: no: the previous version stays in use
                warning: n.yaml:3:5: policy "spare" is used by no tailored name [unused-policy]

                """)
    }

    @Test("a reload without changes says so")
    func nothing() {
        var report = Self.report
        (report.changed, report.zones, report.tailored) = (false, .init(total: 40), .init(total: 1))
        (report.database, report.steering, report.fastPathReason) = (false, false, nil)
        (report.policies, report.settings, report.problems, report.warnings) = (.init(total: 1), [], [], [])
        #expect(report.text(.plain) == "nothing changed: epoch 8, digest 00fe, checked in 500 ms\n")
        report.settings = ["aliases"]
        #expect(
            report.text(.plain) == """
                reloaded: epoch 8, digest 00fe, in 500 ms (250 ms to load)
                  settings changed: aliases

                """)
    }
}
