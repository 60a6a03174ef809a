import BPFRuntime
import CFastPathABI
import DNSWire
import FastPathDriver
import FastPathPlan
import Fixtures
import Glibc
import IPNetworks
import Resolution
import Steering
import Testing
import Zones

/// A world whose zones change record by record, on both paths: the program's tables by the overlay, and the resolver's model by
/// zones that are built from all their records.
final class OverlayWorld {
    /// An RRset's place in a zone.
    struct Key: Hashable {
        let owner: String
        let type: RecordType
    }

    private let pins = PinnedFastPath(root: "\(BPFFileSystem.root)/nearcast-test-\(getpid())-overlay")
    let maps: FastPathMaps
    /// Of the zones as they are edited.
    private(set) var model: ServingModel
    /// Of the zones as they are built.
    private(set) var resolver: ModelResolver
    private let others: [Zone]
    /// Place of the first of the zones among all.
    private let offset: Int
    private var records: [String: [Key: [[UInt8]]]]
    private var serial: UInt8 = 1

    static let apexes = ["over.test", "few.test", "kid.over.test"]

    /// - Parameters:
    ///   - isFirst: whether the zones come before all others, so that their shared replies have the first cells.
    ///   - aliases: of the first zone, to its own names.
    init(isFirst: Bool = false, aliases: Int = 0) throws {
        let sample = try SampleModel()
        others = sample.model.zones.zones
        offset = isFirst ? 0 : others.count
        records = try Self.firstRecords()
        for number in 0..<aliases {
            records["over.test"]?[Key(owner: "k\(number).over.test", type: .cname)] = [
                try Self.wire("h\(number % 90).over.test")
            ]
        }
        let zones = try Self.build(records, serial: serial)
        model = sample.model.replacing(try ZoneSet(isFirst ? zones + others : others + zones), epoch: 1, digest: 1)
        let image = try FastPathImage(model, services: SampleModel.services, secret: 0x5ec2e7)
        // Zones grow by what is edited, and all generations have to fit.
        let ample = sample.model.replacing(try ZoneSet(others + zones + [try Self.filler()]), epoch: 1, digest: 1)
        maps = try FastPathMaps(
            sizedFor: try FastPathImage(ample, services: SampleModel.services, secret: 0x5ec2e7), pins: pins)
        for node in model.steering.nodes { maps.words.store(node.slot, sample.words.word(node.slot, nil)) }
        try maps.publish(image)
        resolver = ModelResolver(model: model, words: maps.words)
    }

    deinit { _ = try? pins.removeAll() }

    // MARK: - Zones

    static func wire(_ text: String) throws -> [UInt8] { try DomainName(text).wire }

    private static func soa(_ serial: UInt8) throws -> [UInt8] {
        try wire("a.ns.over.test") + wire("box.few.test") + [
            0, 0, 0, serial, 0, 0, 14, 16, 0, 0, 3, 132, 0, 9, 58, 128,
        ]
            + [0, 0, 1, 44]
    }

    private static func firstRecords() throws -> [String: [Key: [[UInt8]]]] {
        var over: [Key: [[UInt8]]] = [:]
        for number in 0..<90 { over[Key(owner: "h\(number).over.test", type: .a)] = [[10, 0, 0, UInt8(number)]] }
        over[Key(owner: "over.test", type: .ns)] = [try wire("ns1.over.test"), try wire("ns.few.test")]
        over[Key(owner: "ns1.over.test", type: .a)] = [[10, 0, 1, 1]]
        // Above the server that the SOA names nothing stands.
        over[Key(owner: "a.ns.over.test", type: .a)] = [[10, 0, 1, 4]]
        over[Key(owner: "out.over.test", type: .ns)] = [try wire("ns.elsewhere.test")]
        over[Key(owner: "a.b.ent.over.test", type: .txt)] = [[1, 65]]
        over[Key(owner: "*.w.over.test", type: .a)] = [[10, 0, 1, 2]]
        over[Key(owner: "alias.over.test", type: .cname)] = [try wire("h1.over.test")]
        over[Key(owner: "away.over.test", type: .cname)] = [try wire("away.elsewhere.test")]
        over[Key(owner: "mail.over.test", type: .mx)] = [[0, 1] + (try wire("h2.over.test"))]
        over[Key(owner: "cut.over.test", type: .ns)] = [try wire("h3.over.test"), try wire("ns.cut.over.test")]
        over[Key(owner: "ns.cut.over.test", type: .a)] = [[10, 0, 1, 3]]
        over[Key(owner: "down.over.test", type: .dname)] = [try wire("w.over.test")]
        let few: [Key: [[UInt8]]] = [
            Key(owner: "ns.few.test", type: .a): [[10, 0, 2, 1]],
            Key(owner: "far.few.test", type: .cname): [try wire("alias.over.test")],
            Key(owner: "wild.few.test", type: .cname): [try wire("x.w.over.test")],
            Key(owner: "under.few.test", type: .cname): [try wire("h1.down.over.test")],
        ]
        let kid: [Key: [[UInt8]]] = [Key(owner: "www.kid.over.test", type: .a): [[10, 0, 3, 1]]]
        return ["over.test": over, "few.test": few, "kid.over.test": kid]
    }

    /// A zone that is as large as all edits make the others.
    private static func filler() throws -> Zone {
        var builder = ZoneBuilder(apex: try DomainName("filler.test"))
        func add(_ owner: String, _ type: RecordType, _ data: [UInt8]) throws {
            try builder.add(
                ResourceRecord(owner: try DomainName(owner), type: type, recordClass: .in, ttl: 300, data: data))
        }
        try add("filler.test", .soa, soa(1))
        try add("filler.test", .ns, try wire("ns1.over.test"))
        for number in 0..<1000 {
            try add("n\(number).filler.test", .a, [10, 9, UInt8(number / 256), UInt8(number % 256)])
        }
        return try builder.build()
    }

    private static func build(_ records: [String: [Key: [[UInt8]]]], serial: UInt8) throws -> [Zone] {
        try apexes.map { apex in
            var builder = ZoneBuilder(apex: try DomainName(apex))
            func add(_ owner: String, _ type: RecordType, _ data: [UInt8]) throws {
                try builder.add(
                    ResourceRecord(owner: try DomainName(owner), type: type, recordClass: .in, ttl: 300, data: data))
            }
            try add(apex, .soa, soa(serial))
            for (key, sets) in records[apex] ?? [:] { for data in sets { try add(key.owner, key.type, data) } }
            return try builder.build()
        }
    }

    // MARK: - Edits

    /// Changes RRsets of a zone, given by owner and type, and on request the serials.
    ///
    /// - Parameters:
    ///   - isCompared: whether the difference is found by comparing whole zones.
    ///   - isAhead: whether new tables of the model before the change come into use with it.
    /// - Returns: whether it was done by the overlay; nil when the zones cannot be so.
    func edit(
        _ apex: String, _ edits: [(key: Key, data: [[UInt8]])], raisesSerial: Bool, isCompared: Bool,
        isAhead: Bool = false
    ) throws -> Bool? {
        var next = records
        var changes: [RRsetChange] = []
        for (key, data) in edits {
            next[apex]?[key] = data.isEmpty ? nil : data
            changes.append(RRsetChange(owner: try DomainName(key.owner), type: key.type, ttl: 300, records: data))
        }
        let nextSerial = raisesSerial ? serial &+ 1 : serial
        guard let built = try? Self.build(next, serial: nextSerial) else { return nil }
        let index = try #require(Self.apexes.firstIndex(of: apex)) + offset
        var zones: [Int: Zone] = [:]
        var names: [Int: Set<[UInt8]>] = [:]
        for (place, name) in Self.apexes.enumerated() {
            var all = place + offset == index ? changes : []
            if raisesSerial {
                all.append(
                    RRsetChange(
                        owner: try DomainName(name), type: .soa, ttl: 300, records: [try Self.soa(nextSerial)]))
            }
            guard !all.isEmpty else { continue }
            do {
                let edited = try model.zones.zones[place + offset].applying(all)
                (zones[place + offset], names[place + offset]) = (edited.zone, edited.names)
            } catch {
                // What only a whole zone can take: as a file's new version.
                zones[place + offset] = built[place]
                names[place + offset] = nil
            }
        }
        (records, serial) = (next, nextSerial)
        let edited = model.replacing(model.zones.replacing(zones), epoch: model.epoch + 1, digest: 1)
        let isKnown = !isCompared && names.count == zones.count
        let isOverlaid = try take(edited, isKnown ? names : nil, isAhead: isAhead)
        resolver = ModelResolver(
            model: model.replacing(try ZoneSet(offset == 0 ? built + others : others + built), epoch: 1, digest: 1),
            words: maps.words)
        return isOverlaid
    }

    private func take(_ edited: ServingModel, _ names: [Int: Set<[UInt8]>]?, isAhead: Bool) throws -> Bool {
        let changes = StaticChanges(
            from: model, to: edited, names: names, sharing: maps.sharingZones, limit: 500)
        if isAhead, let changes {
            let image = try image()
            model = edited
            try maps.publish(image, changing: changes)
            return true
        }
        model = edited
        if let changes, try maps.change(changes) {
            try maps.retire()
            return true
        }
        try fold()
        return false
    }

    /// Leaves only one of the first eight nodes usable.
    func prefer(_ node: Int) {
        for index in 0..<8 {
            let state = index == node ? NC_NODE_UP : NC_NODE_DOWN
            maps.words.store(index * 7 % 40, nc_node_word(state.rawValue, UInt32(NC_SHARE_FULL), NC_TTL_STABLE, 0))
        }
        for table in model.steering.tables.indices {
            maps.words.storeCensus(
                generation: maps.generation, table: table, model.steering.census(of: table, word: maps.words.word))
        }
    }

    /// Fills new tables.
    func fold() throws { try maps.publish(try image()) }

    func image() throws -> FastPathImage {
        try FastPathImage(model, services: SampleModel.services, secret: 0x5ec2e7)
    }

    // MARK: - Queries

    /// Asks both paths. What the program answers must be the resolver's.
    ///
    /// - Returns: whether the program answered.
    func compare(_ name: String, _ type: RecordType, dnssecOK: Bool = false) throws -> Bool {
        var query = QueryBuilder(name, type: type.rawValue)
        if dnssecOK {
            query.opt = QueryBuilder.OPT()
            query.opt?.flags = 0x8000
        }
        let frame = Frame(from: .v4(0x1001_0203), to: SampleModel.service4.address, query.message)
        let run = try maps.program.testRun(packet: frame.bytes)
        guard run.returnValue == 3 else {
            #expect(run.returnValue == 2)
            return false
        }
        var expected: [UInt8] = []
        _ = query.message.withUnsafeBytes { resolver.respond(to: $0, from: frame.source, over: .udp, into: &expected) }
        let reply = try #require(Frame(bytes: run.packet), "\(name) \(type): wrong length or checksum")
        #expect(reply.message == expected, "\(name) \(type)")
        return true
    }
}
