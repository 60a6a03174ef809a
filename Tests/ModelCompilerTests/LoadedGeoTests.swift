import CFastPathABI
import ConfigurationModel
import ConfigurationYAML
import Fixtures
import Foundation
import IPNetworks
import Lints
import Location
import ModelCompiler
import Testing

/// A folder with a city database and the other files of a test.
private final class GeoFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "nearcast-geo-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try write(.sample(), to: "city.mmdb")
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    func write(_ writer: MMDBWriter, to name: String) throws { try write(Data(writer.bytes), to: name) }

    private func write(_ data: Data, to name: String) throws {
        let file = url.appending(path: name)
        try? FileManager.default.removeItem(at: file)
        try data.write(to: file)
    }

    func configuration(_ geo: String) throws -> ServerConfiguration {
        let yaml = """
            listen: ["127.0.0.1:5300"]
            zones: [{origin: a.example, file: a.zone}]
            nodes: [{id: n1, addresses: [198.51.100.1], location: {latitude: 1, longitude: 2}}]
            pools: [{id: world, nodes: [n1]}]
            policies: [{id: nearest}]
            tailored: [{name: www.a.example, pool: world, policy: nearest}]
            geo: {database: city.mmdb\(geo.isEmpty ? "" : ", \(geo)")}
            """
        return try ServerConfiguration.parse(yaml: yaml, file: "nearcast.yaml", baseFolder: url.path)
    }

    func load(_ geo: String, labels: LabelNeeds = .none, earlier: LoadedGeo? = nil) throws -> LoadedGeo {
        try LoadedGeo.load(for: configuration(geo), labels: labels, earlier: earlier)
    }

    /// The problems without the folder's name.
    func problems(_ geo: String, earlier: LoadedGeo? = nil) throws -> [String] {
        try #require(throws: LoadProblem.self) { _ = try load(geo, earlier: earlier) }.problems.map(short)
    }

    func short(_ problem: String) -> String { problem.replacing("\(url.path)/", with: "") }
}

extension LoadedGeo {
    fileprivate func place(_ text: String) throws -> Place {
        places[Int(table.find(nc_address(try #require(IPAddress(text)))).place)]
    }
}

private func old(_ day: UInt64) -> MMDBWriter {
    var writer = MMDBWriter.sample()
    writer.buildEpoch = day * 86400
    return writer
}

@Suite("Loading of geographic data")
struct LoadedGeoTests {
    @Test("overrides come before feeds, feeds before autonomous systems, and these before the database")
    func precedence() throws {
        let folder = try GeoFolder()
        try folder.write("16.1.0.0/16,US,,New York\n16.2.0.0/16,SG\n16.3.0.0/16,\n", to: "feed.csv")
        var asns = MMDBWriter()
        asns.insert(try #require(IPPrefix("16.0.0.0/8")), .map([("autonomous_system_number", .uint32(64500))]))
        try folder.write(asns, to: "asn.mmdb")
        let geo = try folder.load(
            """
            geofeed: feed.csv, asn_database: asn.mmdb,
              asns: [{asn: 64500, latitude: 1, longitude: 1, label: partner}, {asn: 64501, label: nobody}],
              overrides: [{prefix: 16.2.3.0/24, label: office}, {prefix: 16.1.2.0/25, latitude: 7, longitude: 8}]
            """,
            labels: LabelNeeds(asns: [64500], prefixes: [try #require(IPPrefix("16.2.0.0/15"))]))
        let system = try geo.place("16.0.0.1")
        #expect(system.coordinates == Coordinates(latitude: 1_000_000, longitude: 1_000_000))
        #expect(system.city == "Berlin" && system.labels == ["asn:64500", "partner"])
        #expect(try geo.place("16.1.0.1").city == "New York")
        #expect(try geo.place("16.1.0.1").region == "New York")
        #expect(try geo.place("16.1.2.1").coordinates == Coordinates(latitude: 7_000_000, longitude: 8_000_000))
        #expect(try geo.place("16.1.2.1").city == "New York")
        #expect(try geo.place("16.1.2.128").coordinates?.latitude == 40_712_800)
        let office = try geo.place("16.2.3.4")
        #expect(office.country == "SG" && office.labels == ["asn:64500", "cidr:16.2.0.0/15", "office"])
        #expect(try geo.place("16.3.0.1") == Place(labels: ["asn:64500", "cidr:16.2.0.0/15", "partner"]))
        #expect(try geo.place("17.1.0.1").labels.isEmpty)
        #expect(geo.warnings.count == 2, "\(geo.warnings)")
        #expect(geo.warnings.first?.text.contains("16.1.2.0/25 of geo.overrides is longer") == true)
        #expect(geo.warnings.last?.text.contains("AS64501 has no address") == true)
        #expect(geo.paths.map(folder.short) == ["city.mmdb", "asn.mmdb", "feed.csv"])
    }

    @Test("changed overrides do not cause another read of the database")
    func databaseIsKept() throws {
        let folder = try GeoFolder()
        let first = try folder.load("overrides: [{prefix: 16.1.0.0/16, label: a}]")
        // Were it read again, it would be refused or be another.
        try FileManager.default.removeItem(at: folder.url.appending(path: "city.mmdb"))
        let second = try folder.load("overrides: [{prefix: 16.1.0.0/16, label: b}]", earlier: first)
        #expect(try second.place("16.1.0.0").labels == ["b"])
        #expect(try second.place("16.2.0.0").city == "Berlin")
        #expect(second.problems.count == 1)
    }

    @Test("without changes the table is reused")
    func sameTable() throws {
        let folder = try GeoFolder()
        let first = try folder.load("overrides: [{prefix: 16.1.0.0/16, country: DE}]")
        let same = try folder.load("overrides: [{prefix: 16.1.0.0/16, country: DE}]", earlier: first)
        #expect(same.table === first.table)
        let other = try folder.load("overrides: [{prefix: 16.2.0.0/16, city: Berlin}]", earlier: same)
        #expect(other.table === first.table, "it says what the database says")
        let changed = try folder.load("overrides: [{prefix: 16.2.0.0/16, city: Potsdam}]", earlier: other)
        #expect(changed.table !== first.table)
    }

    @Test("a damaged or old database is refused, and the one in use stays")
    func databaseStays() throws {
        let folder = try GeoFolder()
        try folder.write(old(19_000), to: "city.mmdb")
        let message =
            "nearcast.yaml:7:17: geographic database city.mmdb was built on 2022-01-08, before geo.minimum_build 2023-01-01: "
            + "fetch a newer one, or set an earlier day"
        #expect(try folder.problems("minimum_build: 2023-01-01") == [message])
        try folder.write(old(20_000), to: "city.mmdb")
        let first = try folder.load("minimum_build: 2023-01-01")
        #expect(first.problems.isEmpty)
        try folder.write(old(19_000), to: "city.mmdb")
        let second = try folder.load("minimum_build: 2023-01-01", earlier: first)
        #expect(second.problems.map(folder.short) == [message])
        #expect(second.table === first.table && second.summary.buildEpoch == 20_000 * 86400)
        let lowered = try folder.load("minimum_build: 2022-01-01", earlier: second)
        #expect(lowered.problems.isEmpty && lowered.summary.buildEpoch == 19_000 * 86400)
        let raised = try folder.load("minimum_build: 2024-01-01", earlier: lowered)
        #expect(raised.problems.count == 1 && raised.table === lowered.table)
        try folder.write("damaged", to: "city.mmdb")
        let damaged = try folder.load("minimum_build: 2022-01-01", earlier: lowered)
        #expect(damaged.problems.count == 1 && damaged.table === lowered.table)
        try folder.write(old(20_000), to: "city.mmdb")
        #expect(try folder.load("minimum_build: 2022-01-01", earlier: damaged).problems.isEmpty)
    }

    @Test("malformed lines of a feed, and lines with unknown names, are reported and left out")
    func feedLines() throws {
        let folder = try GeoFolder()
        try folder.write("16.1.0.0/16,SG\n16.2.0.0/33,US\n16.3.0.0/16,IT\n16.4.0.0/16,SG\n", to: "feed.csv")
        let geo = try folder.load("geofeed: feed.csv")
        #expect(geo.problems.isEmpty)
        let told = geo.warnings.map { folder.short($0.description) }
        #expect(told.count == 2 && told.allSatisfy { $0.hasSuffix("; line skipped") }, "\(told)")
        #expect(told[0].hasPrefix("geofeed feed.csv:2: \"16.2.0.0/33\" is not a network"))
        #expect(told[1].hasPrefix("geofeed feed.csv:3: the database has no place in IT"))
        #expect(try geo.place("16.1.0.0").country == "SG" && geo.place("16.4.0.0").country == "SG")
        #expect(try geo.place("16.3.0.0").country == "DE", "as the database has it")
    }

    @Test("an unusable feed is refused at its line of the configuration, and the one in use stays")
    func feedStays() throws {
        let folder = try GeoFolder()
        try folder.write("nonsense\n", to: "feed.csv")
        let malformed = try folder.problems("geofeed: feed.csv")
        #expect(
            malformed.count == 1 && malformed[0].hasPrefix("nearcast.yaml:7:37: geofeed feed.csv:1: "), "\(malformed)")
        #expect(try folder.problems("geofeed: absent.csv")[0].contains("absent.csv cannot be read"))

        try folder.write("16.1.0.0/16,SG\n", to: "feed.csv")
        let first = try folder.load("geofeed: feed.csv")
        #expect(try first.place("16.1.0.0").country == "SG")
        try folder.write("16.1.0.0/33,IT\n", to: "feed.csv")
        let second = try folder.load("geofeed: feed.csv", earlier: first)
        #expect(second.problems.count == 1 && second.table === first.table)
        let again = try folder.load("geofeed: feed.csv", earlier: second)
        #expect(again.problems.count == 1 && again.table === first.table)
        try folder.write("nonsense\n", to: "feed.csv")
        #expect(try folder.load("geofeed: feed.csv", earlier: again).table === first.table)
        try folder.write("16.1.0.0/16,FR\n", to: "feed.csv")
        let mended = try folder.load("geofeed: feed.csv", earlier: again)
        #expect(mended.problems.isEmpty)
        #expect(try mended.place("16.1.0.0").country == "FR")
    }
}
