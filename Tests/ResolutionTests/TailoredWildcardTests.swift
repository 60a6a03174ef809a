import CFastPathABI
import DNSWire
import IPNetworks
import Location
import Resolution
import Steering
import Testing
import Zones

@Suite("Tailored wildcards")
struct TailoredWildcardTests {
    private let model: ServingModel
    private let resolver: ModelResolver

    /// Eight nodes that every client may get, so that names are divided between them by their hashes.
    init() throws {
        let nodes = (0..<8).map {
            SteeringNode(
                id: "n\($0)", slot: $0, addresses: [.v4(0xc633_6400 + UInt32($0))],
                coordinates: Coordinates(latitude: 0, longitude: 0))
        }
        let members = nodes.indices.map { PoolMember(node: $0, weight: 1) }
        let rule = nc_rule(
            ttl_min: 5, ttl_max: 60, answers: 1, all_down: UInt8(NC_ALL_DOWN_OPEN.rawValue), ecs: 1, reserved: 0)
        let keys = [IPFamily.v4, nil].map { SteeringKey(members: members, tolerance: Tolerance(), family: $0) }
        let places = PlaceTable([.unknown, Place(coordinates: Coordinates(latitude: 0, longitude: 0))])
        var ranges = PlaceRanges<UInt32>()
        ranges.set(from: 10 << 24, place: 1)
        ranges.set(from: 11 << 24, place: 0)
        let hosts = Dictionary(uniqueKeysWithValues: nodes.map { ($0.slot, name("\($0.id).cdn.example").wire) })
        var builder = ZoneBuilder(apex: name("test"))
        let soa = name("ns.test").wire + name("h.test").wire + Array(repeating: 0, count: 20)
        for (owner, type, data) in [
            ("test", RecordType.soa, soa), ("taken.app.test", .txt, [1, 120]), ("*.app.test", .txt, [1, 119]),
            ("b.ent.app.test", .txt, [1, 121]), ("to.test", .cname, name("x.app.test").wire),
            ("mx.test", .mx, [0, 1] + name("x.app.test").wire),
        ] {
            try builder.add(
                ResourceRecord(owner: name(owner), type: type, recordClass: .in, ttl: 300, data: data))
        }
        try builder.addTailoredName(name("*.app.test"))
        try builder.addTailoredName(name("*.cdn.test"), as: .alias)
        try builder.addTailoredName(name("own.app.test"))
        model = ServingModel(
            epoch: 1, digest: 1, zones: try ZoneSet([try builder.build()]),
            tailored: ["*.app.test", "own.app.test"].map {
                TailoredName(name: name($0), rule: rule, v4: 0, v6: nil, pool: "web", policy: "near")
            },
            tailoredRecords: [
                TailoredRecords(
                    name: name("*.cdn.test"), rule: rule,
                    content: .alias(SteeringChain(table: 1, rule: rule), hosts: hosts), pool: "web", policy: "near")
            ],
            steering: try SteeringTables(keys: keys, nodes: nodes, places: places),
            location: try LocationTable(v4: ranges, v6: PlaceRanges<UInt128>()), places: places)
        let words = NodeWords()
        for node in nodes {
            words.storeIDHash(node.slot, node.idHash)
            words.store(node.slot, nc_node_word(NC_NODE_UP.rawValue, UInt32(NC_SHARE_FULL), NC_TTL_STABLE, 0))
        }
        resolver = ModelResolver(model: model, words: words)
    }

    private func reply(_ name: String, _ type: RecordType = .a, from subnet: String? = nil) -> (bytes: [UInt8], Verdict)
    {
        var query = Query(name: name, type: type)
        if let subnet { query = query.from(subnet) }
        var reply: [UInt8] = []
        let verdict = query.bytes.withUnsafeBytes {
            resolver.respond(to: $0, from: address("10.1.2.3"), over: .udp, into: &reply)
        }
        return (reply, verdict)
    }

    @Test(
        "a name that the wildcard covers is answered under its own name",
        arguments: ["x.app.test", "a.b.c.app.test", "X.App.Test", "*.app.test"])
    func covered(asked: String) {
        let (bytes, verdict) = reply(asked)
        #expect(verdict == .answeredTailored)
        let answer = Array(bytes.dropFirst(12 + name(asked).wire.count + 4))
        // A pointer to the question, type A, class IN, a TTL, and the address of a node.
        #expect(answer.prefix(6) == [0xc0, 12, 0, 1, 0, 1] && answer.dropFirst(12).prefix(3) == [198, 51, 100])
    }

    @Test(
        "names that exist, names below them and empty non-terminals are not covered",
        arguments: [
            ("taken.app.test", Verdict.noData), ("x.taken.app.test", .nxDomain), ("ent.app.test", .noData),
            ("x.ent.app.test", .nxDomain), ("app.test", .noData), ("own.app.test", .answeredTailored),
            ("x.own.app.test", .nxDomain), ("x.test", .nxDomain),
        ])
    func blocked(asked: String, verdict: Verdict) { #expect(reply(asked).1 == verdict) }

    @Test("other types come from the wildcard's data in the zone")
    func otherTypes() {
        #expect(reply("x.app.test", .txt).1 == .answeredStatic)
        #expect(reply("x.app.test", .aaaa).1 == .noData && reply("x.app.test", .mx).1 == .noData)
        #expect(reply("x.app.test", .any).1 == .answeredStatic)
    }

    @Test("a wildcard alias answers every type, with the host of a node")
    func alias() {
        for type in [RecordType.a, .cname, .txt] { #expect(reply("x.cdn.test", type).1 == .answeredTailored) }
        #expect(reply("cdn.test", .cname).1 == .noData)
    }

    @Test("the name of the query divides clients between nodes, as an entry of its own would")
    func spread() throws {
        func last(_ name: String) -> UInt8 { reply(name).bytes.last ?? 0 }
        #expect(Set((0..<64).map { last("h\($0).app.test") }).count == 8)
        let match = try #require(resolver.steering.match(name("own.app.test")))
        #expect(match.nameHash == nil)
        let covered = try #require(resolver.steering.match(name("h1.app.test")))
        #expect(covered.nameHash == steeringHash(name("h1.app.test").lowercasedWire) && covered.addresses == 0)
        #expect(resolver.steering.match(name("taken.app.test")) == nil)
    }

    @Test("the scope is that of the client's leaf, as at a name of its own")
    func scope() {
        // The option comes last: family, source, scope, three bytes of address.
        for name in ["x.app.test", "own.app.test", "x.cdn.test"] {
            let bytes = reply(name, from: "10.1.2.0/24").bytes
            #expect(bytes[bytes.count - 4] == bytes[bytes.count - 5] || bytes[bytes.count - 4] > 0, "\(name)")
        }
    }

    @Test("an alias of the zone stops before a covered name, and its addresses are not additional data")
    func stops() {
        let (alias, verdict) = reply("to.test")
        #expect(verdict == .answeredStatic && alias[7] == 1)
        let mail = reply("mx.test", .mx).bytes
        #expect(mail[7] == 1 && mail[11] == 0)
    }
}
