import ConfigurationModel
import ConfigurationYAML
import Lints
import Testing

@Suite("Warnings that are switched off")
struct LintRulesTests {
    private static let base = "listen: [192.0.2.53:53]\nzones: [{origin: example.com, file: e.zone}]\n"

    private func load(_ yaml: String) throws -> ServerConfiguration {
        try ServerConfiguration.parse(yaml: Self.base + yaml, file: "n.yaml", baseFolder: "/")
    }

    @Test("are named by their ids")
    func off() throws {
        #expect(try load("").lintsOff.isEmpty)
        let configuration = try load("lint: {off: [unused-node, zone-spf]}\n")
        #expect(configuration.lintsOff == [.unusedNode, .spf])
        let warnings = [LintWarning(.spf, at: nil, "a"), LintWarning(.serial, at: nil, "b")]
        #expect(configuration.allowed(warnings) == [warnings[1]])
    }

    @Test(
        "are refused if there is no such id",
        arguments: [
            (
                "lint: {off: [unused-nodes]}",
                "n.yaml:3:14: lint.off has \"unused-nodes\", expected the id of a warning: did you mean unused-node?"
            ),
            (
                "lint: {off: [x]}",
                "n.yaml:3:14: lint.off has \"x\", expected the id of a warning: use an id that `nearcast check` prints"
            ),
            ("lint: {}", "n.yaml:3:7: lint.off is missing: add lint: {off: [unused-node]}"),
            (
                "lint: {off: []}",
                "n.yaml:3:13: lint.off is an empty list, expected at least one id: write lint: {off: [unused-node]}"
            ),
        ])
    func unknown(_ yaml: String, _ problem: String) throws {
        let error = try #require(throws: ConfigurationError.self) { _ = try load(yaml) }
        #expect(error.problems.map(\.description) == [problem])
    }

    @Test("ids are unique, and stay as they are documented")
    func ids() {
        #expect(Set(Lint.ids).count == Lint.allCases.count)
        #expect(Lint.ids.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    }
}
