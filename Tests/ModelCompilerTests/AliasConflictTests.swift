import ConfigurationModel
import ConfigurationYAML
import DNSWire
import Foundation
import Lints
import ModelCompiler
import Resolution
import Steering
import Testing
import Zones

@Suite("Aliases and the records of their zones")
struct AliasConflictTests {
    private static let zone = "$TTL 60\n@ SOA ns admin 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
    private static let expected =
        #"n.yaml:3:11: alias "www.example.com." has a CNAME record in its zone, so it can have no addresses: remove "#
        + "the record or the alias"

    /// A folder with a zone, and what is loaded of it.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "nearcast-alias-\(UUID())")
        private var slots = SlotTable()

        init(_ zone: String) throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try write(zone)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ zone: String) throws { try Data(zone.utf8).write(to: url.appending(path: "e.zone")) }

        func load(
            alias: String? = "www.example.com", after earlier: LoadedModel? = nil,
            changes: [DomainName: ZoneChanges] = [:]
        ) throws -> LoadedModel {
            let yaml = """
                listen: [127.0.0.1:5300]
                zones: [{origin: example.com, file: e.zone}]
                \(alias.map { "aliases: [{name: \($0), target: example.cdn.net}]" } ?? "")
                """
            let configuration = try ServerConfiguration.parse(yaml: yaml, file: "n.yaml", baseFolder: url.path)
            return try ModelCompiler.compile(
                configuration, epoch: (earlier?.model.epoch ?? 0) + 1, slots: &slots, earlier: earlier,
                changes: changes)
        }
    }

    @Test("an alias at a name with a CNAME record is refused")
    func cname() throws {
        let folder = try Folder(Self.zone + "www CNAME example.cdn.net.\n")
        let problem = #expect(throws: LoadProblem.self) { _ = try folder.load() }
        #expect(problem?.problems == [Self.expected])
        #expect(throws: Never.self) { _ = try folder.load(alias: "web.example.com") }
    }

    @Test(
        "an alias for whose name the zone is not authoritative is refused",
        arguments: [
            ("www NS ns.example.net.\n", "is delegated by NS records in its zone"),
            ("com.www NS ns.example.net.\n", nil),
            ("sub NS ns.example.net.\n", nil),
            ("sub NS ns.example.net.\n", "is below a delegation of its zone"),
            ("sub DNAME example.net.\n", "is below a DNAME record of its zone"),
            ("* CNAME example.net.\n", nil),
        ] as [(String, String?)])
    func cut(records: String, obstacle: String?) throws {
        let alias = obstacle?.contains("below") == true ? "www.sub.example.com" : "www.example.com"
        let folder = try Folder(Self.zone + records)
        guard let obstacle else {
            #expect(throws: Never.self) { _ = try folder.load(alias: alias) }
            return
        }
        let problem = #expect(throws: LoadProblem.self) { _ = try folder.load(alias: alias) }
        let expected =
            "n.yaml:3:11: alias \"\(alias).\" \(obstacle), so it can have no addresses: remove the record or the alias"
        #expect(problem?.problems == [expected])
    }

    @Test("what is an alias has addresses: no record that leads to it is a warning, but a name server's is")
    func targets() throws {
        let folder = try Folder(Self.zone + "@ MX 10 www\n@ NS www\nweb CNAME www\n_s._tcp SRV 0 0 443 www\n")
        #expect(Set(try folder.load(alias: nil).zones[0].warnings.map(\.lint)) == [.danglingTarget, .serverAddress])
        let loaded = try folder.load()
        #expect(loaded.zones[0].warnings.map(\.lint) == [.serverAddress])
        #expect(
            loaded.zones[0].warnings.first?.text.contains(
                "is an alias, whose addresses its parent zone does not follow")
                == true)
        let after = try folder.load(after: folder.load(alias: nil))
        #expect(after.zones[0].warnings.map(\.lint) == [.serverAddress], "the file is the same")
    }

    @Test("an alias that is added to a zone in use is refused too")
    func added() throws {
        let folder = try Folder(Self.zone + "www CNAME example.cdn.net.\n")
        let served = try folder.load(alias: nil)
        let problem = #expect(throws: LoadProblem.self) { _ = try folder.load(after: served) }
        #expect(problem?.problems == [Self.expected])
    }

    @Test("a file that adds the CNAME record is refused, and the zone in use stays")
    func file() throws {
        let folder = try Folder(Self.zone)
        let served = try folder.load()
        try folder.write(Self.zone + "www CNAME example.cdn.net.\n")
        let next = try folder.load(after: served)
        #expect(next.problems == [Self.expected] && next.zones[0].zone === served.zones[0].zone)
    }

    @Test("a CNAME record from a record change does not keep the server from starting")
    func recordChange() throws {
        let apex = try DomainName("example.com")
        let name = try DomainName("www.example.com")
        var changes = ZoneChanges()
        changes[RRsetKey(owner: name.lowercasedWire, type: .cname)] = ZoneChanges.RRset(
            ttl: 60, records: [try DomainName("example.cdn.net").wire], time: 1)
        let loaded = try Folder(Self.zone).load(changes: [apex: changes])
        #expect(loaded.problems.isEmpty && loaded.zones[0].zone.hasRRset(name, .cname))
    }
}
