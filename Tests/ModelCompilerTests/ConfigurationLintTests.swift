import ConfigurationModel
import ConfigurationYAML
import DNSWire
import Fixtures
import Foundation
import Lints
import ModelCompiler
import Resolution
import Steering
import Testing
import Zones

/// A folder with a zone, a small city database and a configuration.
private final class LintFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "nearcast-lint-\(UUID())")
    private var slots = SlotTable()
    static let zone = "$TTL 60\n@ SOA ns admin 7 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data(MMDBWriter.sample().bytes).write(to: url.appending(path: "city.mmdb"))
        try write(Self.zone)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ zone: String) throws { try Data(zone.utf8).write(to: url.appending(path: "e.zone")) }

    func configuration(_ yaml: String) throws -> ServerConfiguration {
        let head =
            "listen: [127.0.0.1:5300]\ngeo: {database: city.mmdb}\nzones: [{origin: example.com, file: e.zone}]\n"
        return try ServerConfiguration.parse(yaml: head + yaml, file: "n.yaml", baseFolder: url.path)
    }

    func load(
        _ yaml: String, after earlier: LoadedModel? = nil, changes: [DomainName: ZoneChanges] = [:]
    ) throws -> LoadedModel {
        try ModelCompiler.compile(
            try configuration(yaml), epoch: (earlier?.model.epoch ?? 0) + 1, slots: &slots, earlier: earlier,
            changes: changes)
    }
}

@Suite("Configuration lints")
struct ConfigurationLintTests {
    /// Nodes begin at line 5.
    private static func yaml(
        _ first: String = "addresses: [198.51.100.1]", _ second: String = "addresses: [198.51.100.2]",
        pool: String = "a, b", policies: String = "{id: p}", health: String = "{checks: [{type: icmp}]}"
    ) -> String {
        """
        nodes:
          - {id: a, location: {latitude: 52.5, longitude: 13.4}, \(first)}
          - {id: b, location: {latitude: 40.7, longitude: -74}, \(second)}
        health: \(health)
        pools: [{id: web, nodes: [\(pool)]}]
        policies: [\(policies)]
        tailored: [{name: www.example.com, pool: web, policy: p}]

        """
    }

    @Test(
        "mistakes are found at their place",
        arguments: [
            (yaml(pool: "a"), Lint.unusedNode, "n.yaml:6:5", "add it to a pool, or remove it"),
            (yaml(policies: "{id: p}, {id: q}"), .unusedPolicy, "n.yaml:9:21", "name it in tailored, or remove it"),
            (
                yaml("addresses: [198.51.100.2]"), .sharedAddress, "n.yaml:6:5",
                "correct one, or make them one node"
            ),
            (
                yaml(health: "{checks: [{type: icmp, address: 198.51.100.1}]}"), .sharedTarget, "n.yaml:5:5",
                "leave address out of the check, so that each node is probed at its own"
            ),
            (
                yaml(policies: "{id: p, ttl: {min: 1, max: 9}}"), .shortTTL, "n.yaml:9:12",
                "raise it to 10, or check more often"
            ),
            (
                yaml(policies: "{id: p, ttl: {max: 3600}}"), .longTTL, "n.yaml:9:12", "lower it to 300 or less"
            ),
            (
                yaml() + "lookup: {servers: [192.0.2.1, \"127.0.0.1:5300\"]}\n", .ownLookup, "n.yaml:11:1",
                "name a recursive server"
            ),
        ])
    func bad(_ yaml: String, _ lint: Lint, _ place: String, _ remedy: String) throws {
        let folder = try LintFolder()
        let warnings = try folder.load(yaml).warnings
        #expect(warnings.map(\.lint) == [lint], "\(warnings)")
        #expect(warnings.first?.place == place && warnings.first?.remedy == remedy, "\(warnings)")
        // Without the database too.
        #expect(try ModelCompiler.zones(of: folder.configuration(yaml)).warnings == warnings)
        #expect(try folder.load(yaml + "lint: {off: [\(lint.rawValue)]}\n").warnings.isEmpty)
    }

    @Test(
        "what is right has no warning",
        arguments: [
            yaml(), yaml() + "lookup: {servers: [\"127.0.0.1:53\", \"127.0.0.2:5300\"]}\n",
            yaml(policies: "{id: p, ttl: {min: 1, max: 10}}"), yaml(policies: "{id: p, ttl: {max: 300}}"),
            // Without checks, a TTL has nothing to follow.
            yaml(policies: "{id: p, ttl: {min: 1, max: 1}}", health: "{interval: 9s}"),
            yaml(policies: "{id: p, ttl: {max: 86400}}", health: "{interval: 9s}"),
            // Slow checks need no short TTL.
            yaml(policies: "{id: p, ttl: {max: 1800}}", health: "{interval: 60s, checks: [{type: icmp}]}"),
            // Another view uses the second policy.
            yaml(policies: "{id: p}, {id: q}").replacing("policy: p}", with: "policy: p, views: {v: {policy: q}}}")
                + "views: [{id: v, clients: [10.0.0.0/8]}]\n",
        ])
    func good(_ yaml: String) throws {
        let warnings = try LintFolder().load(yaml).warnings
        #expect(warnings.isEmpty, "\(warnings)")
    }

    @Test(
        "coordinates are compared with the places of their country",
        arguments: [
            ("{latitude: 52.5, longitude: 13.4, country: DE}", nil),
            ("{latitude: 13.4, longitude: 52.5, country: DE}", "swap latitude and longitude"),
            ("{latitude: -33.9, longitude: 151.2, country: DE}", "correct the coordinates or the country"),
            ("{latitude: -33.9, longitude: 151.2}", nil),
            // The database has no place there.
            ("{latitude: 13.4, longitude: 52.5, country: VA}", nil),
        ])
    func coordinates(_ location: String, _ remedy: String?) throws {
        let yaml = Self.yaml().replacing("{latitude: 52.5, longitude: 13.4}", with: location)
        let warnings = try LintFolder().load(yaml).coordinateWarnings
        #expect(warnings.map(\.remedy) == (remedy.map { [$0] } ?? []), "\(warnings)")
        #expect(warnings.allSatisfy { $0.lint == .coordinates && $0.place == "n.yaml:5:23" }, "\(warnings)")
    }

    @Test(
        "a serial must be raised with the content",
        arguments: [
            ("7", "", nil), ("8", "new A 192.0.2.9\n", nil), ("7", "; a comment\n", nil),
            ("7", "new A 192.0.2.9\n", "its serial stayed at 7"),
            ("6", "new A 192.0.2.9\n", "its serial went back from 7 to 6"),
        ])
    func serials(_ serial: String, _ added: String, _ text: String?) throws {
        let folder = try LintFolder()
        let first = try folder.load(Self.yaml())
        #expect(first.warnings.isEmpty)
        try folder.write(LintFolder.zone.replacing("admin 7", with: "admin \(serial)") + added)
        let warnings = try folder.load(Self.yaml(), after: first).warnings
        #expect(warnings.count == (text == nil ? 0 : 1), "\(warnings)")
        if let text { #expect(warnings.first?.text.hasSuffix(text) == true, "\(warnings)") }
    }

    @Test("a serial that stays is found in a zone with record changes too", arguments: [nil, 7, 8])
    func serialsBesideChanges(_ serial: UInt32?) throws {
        let folder = try LintFolder()
        let apex = try DomainName("example.com")
        let owner = try DomainName("alias.example.com").lowercasedWire
        var changes = ZoneChanges()
        changes[RRsetKey(owner: owner, type: .a)] = ZoneChanges.RRset(ttl: 60, records: [[192, 0, 2, 8]], time: 1)
        changes.serial = serial
        let first = try folder.load(Self.yaml(), changes: [apex: changes])
        try folder.write(LintFolder.zone + "new A 192.0.2.9\n")
        let warnings = try folder.load(Self.yaml(), after: first, changes: [apex: changes]).warnings
        #expect(warnings.map(\.lint) == [.serial], "\(warnings)")
        let isRaisedByChanges = serial == 8
        #expect(warnings.first?.text.hasSuffix("its serial stayed at 7") == !isRaisedByChanges, "\(warnings)")
    }

    /// The sample was built on 2023-11-14.
    @Test("a database is old after 120 days", arguments: [(-1, false), (120, false), (121, true)])
    func age(days: Int, isOld: Bool) throws {
        let folder = try LintFolder()
        let now = UInt64(1_700_000_000 + days * 86_400)
        let warnings = try folder.load(Self.yaml()).warnings(at: now)
        #expect(warnings.map(\.lint) == (isOld ? [.oldDatabase] : []), "\(warnings)")
        if isOld { #expect(warnings[0].text == "the database was built on 2023-11-14, 121 days ago") }
        #expect(try folder.load(Self.yaml() + "lint: {off: [geo-database-age]}\n").warnings(at: now).isEmpty)
    }
}
