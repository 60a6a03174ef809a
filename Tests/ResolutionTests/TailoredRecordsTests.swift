import CFastPathABI
import DNSWire
import IPNetworks
import Location
import Resolution
import Steering
import Testing
import Zones

@Suite("Tailored SRV, CNAME, TXT, MX, HTTPS and SVCB records")
struct TailoredRecordsTests {
    /// Nodes a (Berlin, both families), b (New York, IPv4) and c (Singapore, IPv6); clients of 10.1.0.0/16 are in Berlin, those
    /// of 10.2.0.0/16 in New York.
    private let resolver: ModelResolver
    private let words = NodeWords()
    private static let places = [
        Coordinates(latitude: 52_500_000, longitude: 13_400_000),
        Coordinates(latitude: 40_700_000, longitude: -74_000_000),
        Coordinates(latitude: 1_350_000, longitude: 103_800_000),
    ]
    private static let weights: [UInt16] = [1, 100, 65_535]

    init() throws { try self.init(allDown: NC_ALL_DOWN_OPEN) }

    private init(allDown: nc_all_down) throws {
        let addresses = [["198.51.100.1", "2001:db8::a"], ["198.51.100.2"], ["2001:db8::c"]]
        let nodes = ["a", "b", "c"].enumerated().map { index, id in
            SteeringNode(
                id: id, slot: 2 - index, addresses: addresses[index].map(address), coordinates: Self.places[index])
        }
        let members = nodes.indices.map { PoolMember(node: $0, weight: Self.weights[$0]) }
        let keys = [IPFamily.v4, .v6, nil].map { SteeringKey(members: members, tolerance: Tolerance(), family: $0) }
        let rule = nc_rule(
            ttl_min: 5, ttl_max: 60, answers: 1, all_down: UInt8(allDown.rawValue), ecs: 1, reserved: 0)
        func records(_ text: String, _ content: TailoredRecords.Content, answers: UInt8 = 1) -> TailoredRecords {
            var rule = rule
            rule.answers = answers
            return TailoredRecords(name: name(text), rule: rule, content: content, pool: "web", policy: "nearest")
        }
        let hosts = ["a.test", "b.test", "c.test"].map(name)
        let services = nodes.indices.map {
            TailoredRecords.Service(
                slot: nodes[$0].slot, priority: 10, weight: UInt16(min(Int(Self.weights[$0]) * 256, 65_535)),
                port: 8080,
                host: hosts[$0])
        }
        let targets = Dictionary(uniqueKeysWithValues: nodes.indices.map { (nodes[$0].slot, hosts[$0].wire) })
        let texts = Dictionary(
            uniqueKeysWithValues: nodes.map { ($0.slot, [0, 2, 1] + Array($0.id.utf8) + [0, 2, 1, 46]) })
        let prefix = TailoredRecords.bindingPrefix(port: 8443, protocols: ["h2", "h3"])
        let service = TailoredRecords.bindingPrefix(port: 853, protocols: ["dot"])
        let chains = (0...2).map { SteeringChain(table: $0, rule: rule) }
        let all = [
            records("_http._tcp.test", .services(services, fallback: [])),
            records("cdn.test", .alias(chains[2], hosts: targets)),
            records("www.test", .texts(chains[2], texts)),
            records("www.test", .exchanges(chains[2], preference: 10, hosts: targets)),
            records("mail.test", .exchanges(chains[2], preference: 65_520, hosts: targets), answers: 3),
            records("www.test", .binding(type: .https, v4: chains[0], v6: chains[1], prefix: prefix)),
            records("_dns.test", .binding(type: .svcb, v4: chains[0], v6: chains[1], prefix: service)),
        ]
        var ranges = PlaceRanges<UInt32>()
        ranges.set(from: 10 << 24 | 1 << 16, place: 1)
        ranges.set(from: 10 << 24 | 2 << 16, place: 2)
        ranges.set(from: 10 << 24 | 3 << 16, place: 0)
        let places = PlaceTable([.unknown] + Self.places.map { Place(coordinates: $0) })
        let model = ServingModel(
            epoch: 1, digest: 1, zones: try Self.zones(all),
            tailored: [TailoredName(name: name("www.test"), rule: rule, v4: 0, v6: 1, pool: "web", policy: "nearest")],
            tailoredRecords: all, steering: try SteeringTables(keys: keys, nodes: nodes, places: places),
            location: try LocationTable(v4: ranges, v6: PlaceRanges<UInt128>()), places: places)
        for node in nodes { words.storeIDHash(node.slot, node.idHash) }
        resolver = ModelResolver(
            model: model, words: words,
            settings: ProtocolSettings(identity: ServerIdentity(tellsDigest: true)))
        set([.up, .up, .up])
    }

    private enum State: UInt32 {
        case unknown = 0
        case up, degraded, down, drained
    }

    private func set(_ states: [State]) {
        for (index, state) in states.enumerated() {
            words.store(2 - index, nc_node_word(state.rawValue, UInt32(NC_SHARE_FULL), NC_TTL_STABLE, 0))
        }
    }

    private static func zones(_ records: [TailoredRecords]) throws -> ZoneSet {
        var builder = ZoneBuilder(apex: name("test"))
        let soa = name("ns.test").wire + name("host.test").wire + Array(repeating: 0, count: 20)
        let data: [(String, RecordType, [UInt8])] = [
            ("test", .soa, soa), ("test", .ns, name("ns.test").wire), ("a.test", .a, [198, 51, 100, 1]),
            ("a.test", .aaaa, address("2001:db8::a").bytes), ("b.test", .a, [198, 51, 100, 2]),
            ("to.test", .cname, name("cdn.test").wire),
        ]
        for (owner, type, data) in data {
            try builder.add(ResourceRecord(owner: name(owner), type: type, ttl: 300, data: data))
        }
        for entry in records {
            let kinds: [RecordType: TailoredKinds] = [
                .srv: .srv, .cname: .alias, .https: .https, .svcb: .svcb, .txt: .txt, .mx: .mx,
            ]
            try builder.addTailoredName(entry.name, as: kinds[entry.type] ?? [])
        }
        try builder.addTailoredName(name("www.test"))
        return try ZoneSet([try builder.build()])
    }

    private func ask(_ query: Query, from client: String = "10.1.2.3") -> Reply {
        var bytes: [UInt8] = []
        let verdict = query.bytes.withUnsafeBytes {
            resolver.respond(to: $0, from: address(client), over: .udp, into: &bytes)
        }
        return Reply(bytes, verdict)
    }

    private func service(_ weight: UInt16, _ host: String) -> [UInt8] {
        [0, 10] + weight.networkBytes + [0x1F, 0x90] + name(host).wire
    }

    @Test(
        "SRV has every usable node for every client, with weights times 256, the targets' addresses and scope 0",
        arguments: ["10.1.2.0/24", "10.2.2.0/24", "192.0.2.0/24"])
    func services(subnet: String) {
        let reply = ask(Query(name: "_HTTP._tcp.test", type: .srv).from(subnet))
        #expect(reply.verdict == .answeredTailored && reply.isAuthoritative && reply.scope == 0)
        #expect(
            reply.answer.map(\.data) == [service(256, "a.test"), service(25_600, "b.test"), service(65_535, "c.test")])
        #expect(reply.answer.map(\.ttl) == [60, 60, 60])
        #expect(reply.additional.map(\.owner) == ["a.test.", "a.test.", "b.test."])
    }

    @Test("SRV leaves out unusable nodes, and uses unknown ones only if no other is left")
    func states() {
        func hosts(_ states: State...) -> [[UInt8]] {
            set(states)
            return ask(Query(name: "_http._tcp.test", type: .srv)).answer.map(\.data)
        }
        #expect(hosts(.up, .down, .degraded) == [service(256, "a.test"), service(65_535, "c.test")])
        #expect(hosts(.unknown, .up, .drained) == [service(25_600, "b.test")])
        #expect(hosts(.unknown, .down, .drained) == [service(256, "a.test")])
        #expect(hosts(.down, .down, .drained).count == 3)
        #expect(ask(Query(name: "_http._tcp.test", type: .srv)).answer.map(\.ttl) == [5, 5, 5])
    }

    @Test("if no node is usable and the policy refuses, every type is refused")
    func refused() throws {
        let tests = try Self(allDown: NC_ALL_DOWN_USER_SPACE)
        tests.set([.down, .down, .down])
        for (name, type) in [
            ("_http._tcp.test", RecordType.srv), ("cdn.test", .a), ("www.test", .https), ("_dns.test", .svcb),
        ] {
            #expect(tests.ask(Query(name: name, type: type)).verdict == .refused)
        }
    }

    @Test(
        "CNAME points to the host of the nearest node, followed by its data, with the scope of the leaf",
        arguments: [("10.1.2.0/24", "a.test."), ("10.2.2.0/24", "b.test.")])
    func alias(subnet: String, host: String) {
        let reply = ask(Query(name: "cdn.test").from(subnet))
        #expect(reply.verdict == .answeredTailored && reply.isAuthoritative && reply.scope == 16)
        #expect(reply.answer.first?.description == "cdn.test. 60 CNAME \(host)")
        #expect(reply.answer.dropFirst().map(\.owner) == [host] && reply.answer.last?.ttl == 300)
    }

    @Test("every type is answered by the alias, and a negative answer is that of its target")
    func aliasTypes() {
        for type in [RecordType.cname, .any] {
            #expect(ask(Query(name: "cdn.test", type: type)).answer.map(\.type) == [.cname])
        }
        let noData = ask(Query(name: "cdn.test", type: .txt).from("10.1.2.0/24"))
        #expect(noData.verdict == .noData && noData.answer.map(\.type) == [.cname])
        #expect(noData.authority.map(\.type) == [.soa] && noData.scope == 16)
        set([.down, .down, .up])
        let noName = ask(Query(name: "cdn.test"))
        #expect(noName.verdict == .nxDomain && noName.code == 3 && noName.answer.map(\.type) == [.cname])
        // About the alias itself.
        #expect(ask(Query(name: "cdn.test", type: .nsec)).answer.isEmpty)
    }

    @Test("TXT and MX are those of the chosen node, next to other tailored records of the name")
    func textsAndExchanges() {
        let texts = ask(Query(name: "www.test", type: .txt).from("10.2.2.0/24"))
        #expect(texts.verdict == .answeredTailored && texts.isAuthoritative && texts.scope == 16)
        #expect(texts.answer.map(\.data) == [[1] + Array("b".utf8), [1, 46]] && texts.answer.map(\.ttl) == [60, 60])
        let mail = ask(Query(name: "www.test", type: .mx).from("10.1.2.0/24"))
        #expect(mail.answer.map { Array($0.data.prefix(2)) } == [[0, 10]] && mail.scope == 16)
        #expect(mail.additional.map(\.owner) == ["a.test.", "a.test."])
        #expect(ask(Query(name: "www.test", type: .https)).answer.map(\.type) == [.https])
    }

    @Test("several mail hosts follow each other in preference, without those that are down")
    func mailHosts() {
        let query = Query(name: "mail.test", type: .mx).from("10.2.2.0/24")
        let all = ask(query)
        #expect(all.answer.map { Array($0.data.prefix(2)) } == [[255, 240], [255, 250], [255, 255]])
        #expect(all.additional.first?.owner == "b.test.")
        set([.up, .down, .up])
        let some = ask(query)
        #expect(some.answer.map { Array($0.data.prefix(2)) } == [[255, 240], [255, 250]])
        #expect(some.additional.first?.owner == "a.test.")
    }

    @Test("a static alias stops before a tailored one")
    func staticAlias() {
        let reply = ask(Query(name: "to.test").from("10.1.2.0/24"))
        #expect(reply.answer.map(\.description) == ["to.test. 300 CNAME cdn.test."] && reply.scope == 0)
    }

    @Test("HTTPS has the client's addresses as hints and as additional data, with the scope of the leaf")
    func binding() {
        let reply = ask(Query(name: "www.test", type: .https).from("10.2.2.0/24"))
        let data: [UInt8] = hex(
            """
            0001 00              -- priority 1, the owner
            0001 0006 026832 026833 -- alpn=h2,h3
            0003 0002 20fb       -- port=8443
            0004 0004 c6336402   -- ipv4hint=198.51.100.2
            0006 0010 20010db8 00000000 00000000 0000000a -- ipv6hint=2001:db8::a
            """)
        #expect(reply.answer.map(\.data) == [data] && reply.answer.map(\.ttl) == [60])
        #expect(reply.verdict == .answeredTailored && reply.scope == 16)
        #expect(
            reply.additional.map(\.description) == [
                "www.test. 60 A 198.51.100.2", "www.test. 60 AAAA 2001:db8::a",
            ])
        let addresses = ask(Query(name: "www.test").from("10.2.2.0/24"))
        #expect(addresses.answer.map(\.description) == ["www.test. 60 A 198.51.100.2"])
    }

    @Test("SVCB has the same form, and its name has other data only from the zone")
    func serviceBinding() {
        let reply = ask(Query(name: "_DNS.test", type: .svcb).from("10.1.2.0/24"))
        let data: [UInt8] = hex(
            """
            0001 00              -- priority 1, the owner
            0001 0004 03646f74   -- alpn=dot
            0003 0002 0355       -- port=853
            0004 0004 c6336401   -- ipv4hint=198.51.100.1
            0006 0010 20010db8 00000000 00000000 0000000a -- ipv6hint=2001:db8::a
            """)
        #expect(reply.answer.map(\.data) == [data] && reply.answer.map(\.type) == [.svcb])
        #expect(reply.verdict == .answeredTailored && reply.scope == 16 && reply.additional.isEmpty)
        for type in [RecordType.https, .a] {
            #expect(ask(Query(name: "_dns.test", type: type)).verdict == .noData)
        }
        #expect(ask(Query(name: "www.test", type: .svcb)).verdict == .noData)
    }

    @Test("the default port and an empty list of protocols are left out")
    func bareBinding() {
        #expect(TailoredRecords.bindingPrefix(port: nil, protocols: []) == [0, 1, 0])
    }

    @Test("other types at names with tailored records come from the zone")
    func otherTypes() {
        #expect(ask(Query(name: "_http._tcp.test", type: .a)).verdict == .noData)
        #expect(ask(Query(name: "www.test", type: .srv)).verdict == .noData)
        #expect(ask(Query(name: "_http._tcp.test", type: .any)).answer.map(\.type) == [.hinfo])
    }

    @Test(
        "tailored records next to contradicting data are refused, and next to other data accepted",
        arguments: [
            (TailoredKinds.alias, RecordType.txt, false), (.alias, .a, false), (.srv, .srv, false), (.srv, .a, true),
            (.https, .https, false), (.https, .a, true), (.https, .cname, false), (.addresses, .https, true),
            (.svcb, .svcb, false), (.svcb, .https, true), (.https, .svcb, true), (.svcb, .cname, false),
            (.txt, .txt, false), (.txt, .mx, true), (.mx, .mx, false), (.mx, .txt, true), (.mx, .cname, false),
        ])
    func contradictions(kinds: TailoredKinds, type: RecordType, isTaken: Bool) throws {
        var builder = ZoneBuilder(apex: name("test"))
        let soa = name("ns.test").wire + name("host.test").wire + Array(repeating: 0, count: 20)
        try builder.add(ResourceRecord(owner: name("test"), type: .soa, ttl: 1, data: soa))
        let data: [UInt8] =
            switch type {
            case .a: [192, 0, 2, 1]
            case .txt: txt("x")
            case .srv: [0, 0, 0, 0, 0, 1, 0]
            case .https, .svcb: [0, 1, 0]
            case .mx: [0, 10, 0]
            default: [0]
            }
        try builder.add(ResourceRecord(owner: name("x.test"), type: type, ttl: 1, data: data))
        try builder.addTailoredName(name("x.test"), as: kinds)
        let zone = try? builder.build()
        #expect((zone != nil) == isTaken)
    }

    @Test("if configured, TXT in class CH has the digest and the epoch of the model")
    func digest() {
        let query = Query(name: "Digest.NEARCAST", type: .txt, recordClass: .ch)
        let reply = ask(query)
        let data = hex("17") + Array("digest=0000000000000001".utf8) + hex("07") + Array("epoch=1".utf8)
        #expect(reply.code == 0 && reply.answer.map(\.data) == [data] && reply.answer.map(\.ttl) == [0])
        var bytes: [UInt8] = []
        _ = query.bytes.withUnsafeBytes {
            ModelResolver(model: resolver.model, words: words).respond(
                to: $0, from: address("10.1.2.3"), over: .udp, into: &bytes)
        }
        #expect(bytes[3] & 15 == 5)
    }

    @Test("an apex cannot be an alias")
    func apex() throws {
        var builder = ZoneBuilder(apex: name("test"))
        let soa = name("ns.test").wire + name("host.test").wire + Array(repeating: 0, count: 20)
        try builder.add(ResourceRecord(owner: name("test"), type: .soa, ttl: 1, data: soa))
        try builder.addTailoredName(name("test"), as: .alias)
        #expect(throws: ZoneError.self) { try builder.build() }
    }
}
