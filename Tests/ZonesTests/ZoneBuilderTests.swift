import DNSWire
import Testing
import Zones

@Suite("Zone builder")
struct ZoneBuilderTests {
    private static func builder(_ records: [(String, RecordType, [UInt8])] = []) throws -> ZoneBuilder {
        var builder = ZoneBuilder(apex: name("example.com"))
        let soa = name("ns.example.com").wire + name("admin.example.com").wire + Array(repeating: 0, count: 20)
        try builder.add(ResourceRecord(owner: name("example.com"), type: .soa, ttl: 60, data: soa))
        for (owner, type, data) in records {
            try builder.add(ResourceRecord(owner: name(owner), type: type, ttl: 60, data: data))
        }
        return builder
    }

    @Test("empty non-terminals between the apex and a record exist")
    func emptyNonTerminals() throws {
        let zone = try Self.builder([("a.b.c.example.com", .a, [1, 2, 3, 4])]).build()
        #expect(zone.nameCount == 4 && zone.rrsetCount == 2)
        #expect(zone.hasRRset(name("A.B.C.EXAMPLE.COM"), .a) && !zone.hasRRset(name("b.c.example.com"), .a))
    }

    @Test("records outside the zone, of meta types and with malformed RDATA are refused")
    func refusedRecords() throws {
        for (owner, type, data) in [
            ("example.org", RecordType.a, [1, 2, 3, 4]), ("x.example.com", .any, []), ("x.example.com", .a, [1, 2, 3]),
            ("x.example.com", .cname, [3, 1]), ("x.example.com", .mx, [0, 1, 0, 0]), ("x.example.com", .soa, [0, 0]),
        ] as [(String, RecordType, [UInt8])] {
            #expect(throws: ZoneError.self) { try Self.builder([(owner, type, data)]) }
        }
    }

    @Test("a zone needs one SOA, and a CNAME stands alone")
    func refusedZones() throws {
        #expect(throws: ZoneError.self) { try ZoneBuilder(apex: name("example.com")).build() }
        let alias = name("y.example.com").wire
        #expect(throws: ZoneError.self) {
            try Self.builder([("x.example.com", .cname, alias), ("x.example.com", .a, [1, 2, 3, 4])]).build()
        }
        #expect(throws: ZoneError.self) {
            try Self.builder([("x.example.com", .cname, alias), ("x.example.com", .cname, [0])]).build()
        }
        #expect(throws: Never.self) {
            try Self.builder([("x.example.com", .cname, alias), ("x.example.com", .cname, alias)]).build()
        }
    }

    @Test(
        "a tailored name at other addresses, an alias, a delegation or a DNAME, or outside, is refused",
        arguments: [
            "a.example.com", "alias.example.com", "x.cut.example.com", "cut.example.com", "x.dname.example.com",
            "www.example.org",
        ])
    func refusedTailored(tailored: String) throws {
        let records: [(String, RecordType, [UInt8])] = [
            ("a.example.com", .aaaa, Array(repeating: 0, count: 16)), ("alias.example.com", .cname, [0]),
            ("cut.example.com", .ns, [0]), ("dname.example.com", .dname, [0]),
        ]
        #expect(throws: ZoneError.self) {
            var builder = try Self.builder(records)
            try builder.addTailoredName(name(tailored))
            _ = try builder.build()
        }
    }

    @Test("two zones with one name are refused, and the longest suffix is found")
    func zoneSet() throws {
        let zone = try Self.builder().build()
        #expect(throws: ZoneError.self) { try ZoneSet([zone, zone]) }
        let set = try ZoneSet([zone])
        #expect(set.zone(of: name("x.Example.com")) === zone)
        #expect(set.zone(of: name("com")) == nil && set.zone(of: .root) == nil)
        #expect(try ZoneSet([]).zone(of: name("com")) == nil)
    }
}
