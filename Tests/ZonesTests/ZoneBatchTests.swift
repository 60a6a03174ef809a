import DNSWire
import IPNetworks
import Resolution
import Testing
import Zones

/// A zone's records, and the zone that batches have made of it.
private struct EditedZone {
    struct Key: Hashable {
        let owner: String
        let type: RecordType
    }

    static let apex = name("edit.test")
    var records: [Key: [[UInt8]]] = [:]
    var serial: UInt32 = UInt32.max - 3
    var zone: Zone

    init(hosts: Int) throws {
        for number in 0..<hosts {
            records[Key(owner: "h\(number).edit.test", type: .a)] = [[10, 0, 0, UInt8(number & 255)]]
        }
        records[Key(owner: "edit.test", type: .ns)] = [name("ns.edit.test").wire]
        records[Key(owner: "ns.edit.test", type: .a)] = [[10, 0, 1, 1]]
        zone = try Self.build(records, serial)
    }

    static func soa(_ serial: UInt32) -> [UInt8] {
        name("ns.edit.test").wire + name("box.edit.test").wire
            + [serial, 3600, 900, 604_800, 300].flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
            }
    }

    static func build(_ records: [Key: [[UInt8]]], _ serial: UInt32) throws -> Zone {
        var builder = ZoneBuilder(apex: apex)
        try builder.add(ResourceRecord(owner: apex, type: .soa, ttl: 300, data: soa(serial)))
        for (key, sets) in records {
            for data in sets {
                try builder.add(ResourceRecord(owner: name(key.owner), type: key.type, ttl: 300, data: data))
            }
        }
        return try builder.build()
    }

    static func contents(_ zone: Zone) -> Set<ZoneRRset> {
        var all: Set<ZoneRRset> = []
        zone.forEachOwner { sets in
            for var set in sets {
                set.records.sort { $0.lexicographicallyPrecedes($1) }
                all.insert(set)
            }
            return true
        }
        return all
    }

    /// Makes a batch in both ways; `false` when it cannot be.
    mutating func make(_ batch: [(key: Key, data: [[UInt8]])]) throws -> Bool {
        var next = records
        for (key, data) in batch { next[key] = data.isEmpty ? nil : data }
        let changes = batch.map {
            RRsetChange(owner: name($0.key.owner), type: $0.key.type, ttl: 300, records: $0.data)
        }
        var batches = try ZoneBatches(zone)
        guard let built = try? Self.build(next, serial &+ 1) else {
            #expect(throws: ZoneBatchError.self) { try batches.apply(changes, raisesSerial: true) }
            #expect(Self.contents(batches.finish().zone) == Self.contents(zone), "half a batch was made")
            return false
        }
        try batches.apply(changes, raisesSerial: true)
        (records, serial) = (next, serial &+ 1)
        zone = batches.finish().zone
        #expect(zone.serial == serial && zone.nameCount == built.nameCount)
        #expect(Self.contents(zone) == Self.contents(built))
        try expectSameAnswers(built, batch.map(\.key))
        return true
    }

    private func expectSameAnswers(_ built: Zone, _ keys: [Key]) throws {
        let resolvers = try [zone, built].map { Resolver(zones: try ZoneSet([$0]), tailored: NoTailored()) }
        for owner in Set(keys.map(\.owner)).union(["edit.test", "no.edit.test", "x.w.edit.test", "alias.edit.test"]) {
            for asked in [owner, "x.\(owner)"] {
                for type: RecordType in [.a, .txt, .mx, .any] {
                    let packet = query(asked, type)
                    let replies = resolvers.map { resolver in
                        var reply: [UInt8] = []
                        packet.withUnsafeBytes { _ = resolver.respond(to: $0, from: .v4(1), over: .udp, into: &reply) }
                        return reply
                    }
                    #expect(replies[0] == replies[1], "\(asked) \(type)")
                }
            }
        }
    }
}

@Suite("Batches of changes")
struct ZoneBatchTests {
    private static let owners =
        (0..<40).map { "h\($0)" } + (0..<40).map { "n\($0)" } + [
            "x.n1", "y.x.n1", "*.w", "w", "x.w", "alias", "mail", "a.b.ent", "b.ent", "ns", "*",
        ]

    private static func data(_ type: RecordType, _ random: inout SystemRandomNumberGenerator) -> [UInt8] {
        let host = name("\(owners.randomElement(using: &random) ?? "h1").edit.test").wire
        let number = UInt8.random(in: 0...255, using: &random)
        return switch type {
        case .cname: host
        case .mx: [0, 1] + host
        case .a: [10, 1, 0, number]
        default: [3, number, number, number] + (number < 128 ? [] : [1, number])
        }
    }

    @Test(
        "after random batches a zone equals one that is built from its records, and answers alike", arguments: [3, 400])
    func random(hosts: Int) throws {
        var random = SystemRandomNumberGenerator()
        var world = try EditedZone(hosts: hosts)
        var made = 0
        for _ in 0..<120 {
            var batch: [EditedZone.Key: [[UInt8]]] = [:]
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let type = [RecordType.a, .a, .a, .txt, .mx, .cname].randomElement(using: &random) ?? .a
                // Most batches have no alias, since most aliases cannot be.
                guard type != .cname || batch.count < 2 else { continue }
                let owner = Self.owners.randomElement(using: &random) ?? "h1"
                let count = Int.random(in: 0...(type == .cname ? 1 : 2), using: &random)
                batch[EditedZone.Key(owner: "\(owner).edit.test", type: type)] = Set(
                    (0..<count).map { _ in Self.data(type, &random) }
                ).sorted { $0.lexicographicallyPrecedes($1) }
            }
            if try world.make(batch.map { ($0.key, $0.value) }) { made += 1 }
        }
        #expect(made > 20 && world.serial < 1_000, "serials go on behind the last")
    }

    @Test("each refused change of a batch has a reason, and an alias and addresses can replace each other in any order")
    func order() throws {
        let world = try EditedZone(hosts: 3)
        func change(_ owner: String, _ type: RecordType, _ records: [UInt8]...) -> RRsetChange {
            RRsetChange(owner: name(owner), type: type, ttl: 60, records: records)
        }
        var batches = try ZoneBatches(world.zone)
        let alias = name("h1.edit.test").wire
        do throws(ZoneBatchError) {
            try batches.apply(
                [
                    change("h0.edit.test", .cname, alias), change("h2.edit.test", .a, [1, 1, 1, 1]),
                    change("else.where", .a, [1, 1, 1, 1]), change("x.edit.test", .a, [1, 1, 1]),
                    change("h2.edit.test", .a, [1, 1, 1, 2]), change("edit.test", .soa), change("edit.test", .ns),
                ], raisesSerial: false)
            Issue.record("it was made")
        } catch { #expect(error.problems.map(\.change) == [0, 2, 3, 4, 5, 6]) }
        try batches.apply([change("h0.edit.test", .cname, alias), change("h0.edit.test", .a)], raisesSerial: false)
        try batches.apply(
            [change("h0.edit.test", .a, [9, 9, 9, 9]), change("h0.edit.test", .cname)], raisesSerial: false)
        #expect(batches.rrsets(of: name("H0.edit.test")).map(\.type) == [.a])
        #expect(batches.has(change("h0.edit.test", .a, [9, 9, 9, 9])))
    }

    @Test("a batch cannot add data that contradicts tailored records, and can add other data")
    func tailored() throws {
        var builder = ZoneBuilder(apex: EditedZone.apex)
        try builder.add(ResourceRecord(owner: EditedZone.apex, type: .soa, ttl: 300, data: EditedZone.soa(1)))
        try builder.add(ResourceRecord(owner: EditedZone.apex, type: .ns, ttl: 300, data: name("ns.edit.test").wire))
        for (owner, kinds) in [("cdn", TailoredKinds.alias), ("www", [.addresses, .https]), ("_s", .srv)] {
            try builder.addTailoredName(name("\(owner).edit.test"), as: kinds)
        }
        let zone = try builder.build()
        for (owner, type, data, isAllowed) in [
            ("cdn", RecordType.txt, [1, 65], false), ("www", .txt, [1, 65], true), ("www", .a, [1, 1, 1, 1], false),
            ("www", .https, [0, 1, 0], false), ("www", .svcb, [0, 1, 0], true), ("_s", .a, [1, 1, 1, 1], true),
            ("_s", .srv, [0, 0, 0, 0, 0, 1, 0], false), ("_s", .cname, [0], false),
        ] as [(String, RecordType, [UInt8], Bool)] {
            var batches = try ZoneBatches(zone)
            let change = RRsetChange(owner: name("\(owner).edit.test"), type: type, ttl: 1, records: [data])
            if isAllowed {
                try batches.apply([change], raisesSerial: false)
            } else {
                let error = #expect(throws: ZoneBatchError.self) { try batches.apply([change], raisesSerial: false) }
                #expect(error?.problems.first?.error.message.hasPrefix("is tailored") == true, "\(owner) \(type)")
            }
        }
    }

    @Test("an RRset too large for any message is refused, and a large one costs no more than its size")
    func large() throws {
        var batches = try ZoneBatches(EditedZone(hosts: 1).zone)
        func change(_ count: Int) -> RRsetChange {
            RRsetChange(
                owner: name("h.edit.test"), type: .a, ttl: 1,
                records: (0..<count).map { [10, UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] })
        }
        try batches.apply([change(4_000)], raisesSerial: false)
        #expect(batches.rrsets(of: name("h.edit.test")).first?.records.count == 4_000)
        let error = #expect(throws: ZoneBatchError.self) { try batches.apply([change(4_100)], raisesSerial: false) }
        #expect(error?.problems.first?.error.message.contains("no message has room") == true)
        #expect(throws: ZoneBatchError.self) { try batches.apply([change(60_000)], raisesSerial: false) }
    }

    @Test(
        "a signed zone refuses changes, because its signatures would be wrong", arguments: [RecordType.nsec, .dnskey])
    func signed(type: RecordType) throws {
        let proof = name("edit.test").wire + [0, 6, 0x62, 0x01, 0x80, 0x08, 0x00, 0x03]
        var builder = ZoneBuilder(apex: EditedZone.apex)
        try builder.add(ResourceRecord(owner: EditedZone.apex, type: .soa, ttl: 300, data: EditedZone.soa(1)))
        try builder.add(
            ResourceRecord(
                owner: EditedZone.apex, type: type, ttl: 300, data: type == .nsec ? proof : [1, 0, 3, 13, 9, 9]))
        let zone = try builder.build()
        #expect(throws: ZoneError.self) { try ZoneBatches(zone) }
    }

    @Test("serials are compared with serial number arithmetic (RFC 1982)")
    func serials() {
        #expect(SerialNumber.isLater(1, than: 0) && SerialNumber.isLater(0, than: .max))
        #expect(!SerialNumber.isLater(1, than: 1) && !SerialNumber.isLater(0, than: 1))
        #expect(!SerialNumber.isLater(1 << 31, than: 0) && !SerialNumber.isLater(0, than: 1 << 31))
    }
}
