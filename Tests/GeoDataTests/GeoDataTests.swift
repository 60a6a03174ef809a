import CFastPathABI
import Fixtures
import Foundation
import GeoData
import IPNetworks
import Location
import Testing

/// Loads a database from a file that is gone afterwards.
func load(_ bytes: [UInt8]) throws -> GeoData {
    let file = FileManager.default.temporaryDirectory.appending(path: "geodata-\(UUID()).mmdb")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try GeoData.load(path: file.path)
}

func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }

extension GeoData {
    /// The place of an address.
    func place(_ text: String) throws -> Place {
        func last<T>(_ ranges: PlaceRanges<T>, _ address: T) -> Int {
            Int(ranges.places[ranges.starts.lastIndex { $0 <= address } ?? 0])
        }
        return switch try #require(IPAddress(text)) {
        case .v4(let bits): places[last(v4, bits)]
        case .v6(let bits): places[last(v6, bits)]
        }
    }
}

@Suite struct GeoDataTests {
    @Test("every network is read with its location, for every size of the tree's records", arguments: [24, 28, 32])
    func wholeWalk(recordSize: Int) throws {
        var writer = MMDBWriter.sample()
        writer.recordSize = recordSize
        let data = try load(writer.bytes)
        #expect(data.networks == 5)
        #expect(data.places.count == 6, "five places and the unknown one")
        #expect(data.type == "Sample-City")
        #expect(data.buildEpoch == 1_700_000_000)
        let berlin = try data.place("16.255.255.255")
        #expect(
            berlin
                == Place(
                    coordinates: Coordinates(latitude: 52_520_000, longitude: 13_405_000), country: "DE",
                    region: "Berlin", continent: "EU", city: "Berlin"))
        #expect(try data.place("17.1.0.0").city == "New York")
        #expect(try data.place("17.1.0.0").coordinates?.longitude == -74_006_000)
        #expect(try data.place("18.2.3.255").city == "Singapore")
        #expect(try data.place("2400:10ff:ffff::1").city == "Tokyo")
        #expect(try data.place("2400:2000:ffff::").city == "Paris")
        for unknown in ["0.0.0.0", "15.255.255.255", "17.2.0.0", "18.2.4.0", "255.255.255.255", "::", "2400:1100::"] {
            #expect(try data.place(unknown) == .unknown, "\(unknown)")
        }
    }

    @Test("a tree without a node for ::/96 has one network for all of IPv4, or none")
    func wholeIPv4() throws {
        var writer = MMDBWriter()
        writer.insert(try prefix("::1:0:0/96"), .place("Paris", 48.8566, 2.3522))
        #expect(try load(writer.bytes).place("192.0.2.1") == .unknown)
        #expect(try load(writer.bytes).place("::1:0:0").city == "Paris")
        writer.insert(try prefix("::/96"), .place("Berlin", 52.52, 13.405))
        #expect(try load(writer.bytes).place("192.0.2.1").city == "Berlin")
    }

    @Test(
        "aliases of the IPv4 tree are skipped, and so is its own position in IPv6",
        arguments: [
            "::ffff:16.0.0.1", "2002:1000::1", "::16.0.0.1",
        ])
    func aliases(address: String) throws {
        let data = try load(MMDBWriter.sample().bytes)
        #expect(try data.place(address) == .unknown)
    }

    @Test("a database with IPv4 only is read")
    func onlyIPv4() throws {
        var writer = MMDBWriter(.v4)
        writer.insert(try prefix("0.0.0.0/1"), .place("Low", 10, 20))
        writer.insert(try prefix("255.255.255.255/32"), .place("Last", -10, -20))
        let data = try load(writer.bytes)
        #expect(data.networks == 2)
        #expect(try data.place("127.255.255.255").city == "Low")
        #expect(try data.place("128.0.0.0") == .unknown)
        #expect(try data.place("255.255.255.255").city == "Last")
        #expect(try data.place("2400::1") == .unknown)
    }

    @Test("a database with IPv6 only is read")
    func onlyIPv6() throws {
        var writer = MMDBWriter()
        writer.insert(try prefix("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"), .place("Last", 1, 2))
        writer.insert(try prefix("8000::/2"), .place("High", 3, 4))
        let data = try load(writer.bytes)
        #expect(data.networks == 2)
        #expect(try data.place("9fff::").city == "High")
        #expect(try data.place("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff").city == "Last")
        #expect(try data.place("1.2.3.4") == .unknown)
    }

    @Test("locations are numbered by size, then by content, not by their order in the file")
    func stableNumbers() throws {
        let places: [(String, MMDBWriter.Value)] = [
            ("1.0.0.0/8", .place("B", 2, 2)), ("2.0.0.0/8", .place("A", 1, 1)), ("3.0.0.0/8", .place("C", 3, 3)),
            ("4.0.0.0/7", .place("Large", 9, 9)), ("6.0.0.0/9", .place("Small", 0, 0)),
        ]
        func write(_ order: [Int]) throws -> GeoData {
            var writer = MMDBWriter()
            for index in order { writer.insert(try prefix(places[index].0), places[index].1) }
            return try load(writer.bytes)
        }
        let (first, second) = (try write([0, 1, 2, 3, 4]), try write([2, 0, 4, 1, 3]))
        #expect(first.v4.starts == second.v4.starts)
        #expect(first.v4.places == second.v4.places)
        #expect((0..<6).map { first.places[$0] } == (0..<6).map { second.places[$0] })
        #expect((1..<6).map { first.places[$0].city } == ["Large", "A", "B", "C", "Small"])
    }

    @Test("equal records are one location, even if the file has two copies")
    func mergedPlaces() throws {
        var writer = MMDBWriter()
        writer.insert(try prefix("1.0.0.0/8"), .place("Same", 5, 5))
        writer.insert(try prefix("2.0.0.0/8"), .place("Same", 5, 5))
        let data = try load(writer.bytes)
        #expect(data.places.count == 2)
        #expect(data.networks == 2)
    }

    @Test("missing, unknown, empty and mistyped fields are left out")
    func oddRecords() throws {
        var writer = MMDBWriter()
        func located(_ latitude: MMDBWriter.Value, _ longitude: MMDBWriter.Value) -> MMDBWriter.Value {
            .map([("location", .map([("latitude", latitude), ("longitude", longitude)]))])
        }
        writer.insert(try prefix("1.0.0.0/8"), .place("Good", 5, 5, country: "ZZ", continent: "ZZ"))
        writer.insert(try prefix("2.0.0.0/8"), .map([("country", .map([("iso_code", .string("FR"))]))]))
        writer.insert(try prefix("3.0.0.0/8"), located(.double(90.000_001), .double(0)))
        writer.insert(try prefix("4.0.0.0/8"), located(.double(.nan), .double(0)))
        writer.insert(try prefix("5.0.0.0/8"), located(.uint16(50), .uint16(8)))
        writer.insert(try prefix("6.0.0.0/8"), located(.float(-90), .float(180)))
        writer.insert(try prefix("7.0.0.0/8"), .string("no map at all"))
        writer.insert(try prefix("8.0.0.0/8"), .map([("country", .map([("iso_code", .string(""))]))]))
        let data = try load(writer.bytes)
        #expect(
            try data.place("1.1.1.1")
                == Place(coordinates: Coordinates(latitude: 5_000_000, longitude: 5_000_000), city: "Good"))
        #expect(try data.place("2.1.1.1") == Place(country: "FR"))
        for unknown in ["3.1.1.1", "4.1.1.1", "5.1.1.1", "7.1.1.1", "8.1.1.1"] {
            #expect(try data.place(unknown) == .unknown, "\(unknown)")
        }
        #expect(
            try data.place("6.1.1.1").coordinates == Coordinates(latitude: -90_000_000, longitude: 180_000_000))
    }

    @Test("long texts and many records keep their content")
    func longTexts() throws {
        var writer = MMDBWriter()
        let names = [28, 29, 284, 285, 400].map { String(repeating: "x", count: $0) }
        for (index, name) in names.enumerated() {
            writer.insert(try prefix("\(index + 1).0.0.0/8"), .place(name, Double(index), 0))
        }
        let data = try load(writer.bytes)
        for (index, name) in names.enumerated() { #expect(try data.place("\(index + 1).0.0.1").city == name) }
    }

    @Test("a region is named by its ISO code, or else by its English name")
    func regions() throws {
        var writer = MMDBWriter()
        func record(_ subdivision: [(key: String, value: MMDBWriter.Value)]) -> MMDBWriter.Value {
            .map([
                ("country", .map([("iso_code", .string("US"))])),
                ("location", .map([("latitude", .double(1)), ("longitude", .double(2))])),
                ("subdivisions", .array([.map(subdivision)])),
            ])
        }
        let names = MMDBWriter.Value.map([("de", .string("Kalifornien")), ("en", .string("California"))])
        writer.insert(try prefix("1.0.0.0/8"), record([("iso_code", .string("CA")), ("names", names)]))
        writer.insert(try prefix("2.0.0.0/8"), record([("names", names)]))
        writer.insert(try prefix("3.0.0.0/8"), record([("names", .map([("de", .string("Kalifornien"))]))]))
        let data = try load(writer.bytes)
        #expect(try data.place("1.1.1.1").region == "CA")
        #expect(try data.place("2.1.1.1").region == "California")
        #expect(try data.place("3.1.1.1").region == nil)
    }

    @Test("networks more specific than ECS prefixes are read down to single addresses, in both families")
    func longNetworks() throws {
        var writer = MMDBWriter()
        writer.insert(try prefix("1.2.3.0/26"), .place("A", 1, 1))
        writer.insert(try prefix("1.2.3.255/32"), .place("B", 2, 2))
        writer.insert(try prefix("2400::/64"), .place("C", 3, 3))
        writer.insert(try prefix("2400::1:0:0:0:5/128"), .place("D", 4, 4))
        let data = try load(writer.bytes)
        let table = try LocationTable(v4: data.v4, v6: data.v6)
        func city(_ text: String) throws -> String? {
            data.places[Int(table.find(nc_address(try #require(IPAddress(text)))).place)].city
        }
        #expect(try city("1.2.3.63") == "A")
        #expect(try city("1.2.3.64") == nil)
        #expect(try city("1.2.3.255") == "B")
        #expect(try city("2400::ffff") == "C")
        #expect(try city("2400::1:0:0:0:5") == "D")
        #expect(try city("2400::1:0:0:0:6") == nil)
        // 6to4 stands for its IPv4 address; a Teredo address says where a server is.
        #expect(try city("2002:102:3ff::1") == "B")
        #expect(try city("2001:0:102:3ff::1") == nil)
    }

    @Test("a database that is too old is refused before it is read")
    func age() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "geodata-\(UUID()).mmdb")
        try Data(MMDBWriter.sample().bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = try #require(throws: GeoDataError.self) {
            try GeoData.load(path: file.path) { "was built at \($0)" }
        }
        #expect(error.problem == "was built at 1700000000")
    }
}
