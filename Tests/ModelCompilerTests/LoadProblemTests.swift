import Foundation
import Lints
import ModelCompiler
import Steering
import Testing

@Suite("What keeps a configuration from being served")
struct LoadProblemTests {
    private static let start = "$TTL 60\n@ SOA ns admin 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"

    /// A tailored name, for which a database is read.
    private static let tailored = """
        nodes:
          - {id: n1, addresses: [198.51.100.1], location: {latitude: 1, longitude: 2}}
        pools:
          - {id: world, nodes: [n1]}
        policies:
          - {id: nearest, strategy: nearest}
        tailored:
          - {name: www.a.example, pool: world, policy: nearest}

        """

    /// The problem that two zones make, each of a text; places without the folder's name.
    private static func problem(
        _ first: String, _ second: String, database: String? = nil
    ) throws -> (problems: [String], warnings: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "nearcast-problem-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let zones = "zones:\n  - {origin: a.example, file: a.zone}\n  - {origin: b.example, file: b.zone}\n"
        let geo = database.map { "geo: {database: \($0)}\n\(tailored)" } ?? ""
        let texts = ["a.zone": first, "b.zone": second, "config.yaml": "listen: [127.0.0.1:5300]\n\(geo)\(zones)"]
        for (name, text) in texts { try Data(text.utf8).write(to: folder.appending(path: name)) }
        var slots = SlotTable()
        do throws(LoadProblem) {
            _ = try ModelCompiler.compile(
                configuration: folder.appending(path: "config.yaml").path, epoch: 1, slots: &slots)
            return ([], [])
        } catch {
            func short(_ line: String) -> String { line.replacing("\(folder.path)/", with: "") }
            return (error.problems.map(short), error.warnings.map { short($0.description) })
        }
    }

    @Test("warnings of valid and of refused zones are reported with the problems")
    func warnings() throws {
        let found = try Self.problem(
            Self.start + "ns A 192.0.2.1\n", Self.start + "ns A 192.0.2.1\nx A 192.0.2\ny 2147483648 A 192.0.2.1\n")
        #expect(found.problems.count == 1 && found.problems.first?.hasPrefix("b.zone:6:") == true, "\(found)")
        #expect(
            found.warnings.map { $0.prefix(9) } == ["a.zone:5:", "b.zone:5:", "b.zone:7:"], "\(found.warnings)")
    }

    @Test("warnings are also reported if something other than a zone fails")
    func database() throws {
        let found = try Self.problem(Self.start + "ns A 192.0.2.1\n", Self.start, database: "absent.mmdb")
        #expect(
            found.problems == [
                "config.yaml:2:17: geographic database absent.mmdb (geo.database) does not exist, and tailored names "
                    + "need one: install one with `nearcast geo update` (for trials `make setup` fetches one), or name "
                    + "another file"
            ])
        #expect(found.warnings.map { $0.prefix(9) } == ["a.zone:5:"], "\(found.warnings)")
    }
}
