import ConfigurationModel
import Foundation
import Testing

@Suite("Keys and their spelling")
struct SpellingTests {
    @Test(
        "a key that is close to another one is suggested",
        arguments: [
            ("alias", "aliases"), ("policy", "policies"), ("node", "nodes"), ("view", "views"), ("zoens", "zones"),
            ("look-up", "lookup"), ("fastpath", "fast_path"), ("server", nil), ("records", nil), ("allow", nil),
        ])
    func suggestion(_ text: String, _ key: String?) {
        #expect(Spelling.nearest(to: text, among: ConfigurationDeclaration.keys) == key)
    }

    @Test("the manual's table lists every key of the top level")
    func table() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/configuration.md")
        let text = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let rows = text.split(separator: "\n").drop { $0 != "| Key | Required | Default |" }.dropFirst(2)
            .prefix { $0.hasPrefix("| [`") }
        let listed = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        // Files are included before their keys are read.
        #expect(Set(listed) == Set(ConfigurationDeclaration.keys).union(["include"]))
        #expect(listed.count == Set(listed).count)
    }
}
