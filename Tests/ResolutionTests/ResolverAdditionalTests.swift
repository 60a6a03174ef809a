import DNSWire
import Resolution
import Testing
import Zones

@Suite("Additional data")
struct ResolverAdditionalTests {
    /// A server of the zone "test" with an apex and the given records.
    private func server(_ records: [(String, RecordType, [UInt8])], ttl: UInt32 = 60) throws -> Resolver<FixedTailored>
    {
        var builder = ZoneBuilder(apex: name("test"))
        let soa = name("ns.test").wire + name("host.test").wire + Array(repeating: 0, count: 20)
        for (owner, type, data) in [("test", .soa, soa), ("test", .ns, name("ns.cut.test").wire)] + records {
            try builder.add(ResourceRecord(owner: name(owner), type: type, ttl: ttl, data: data))
        }
        return Resolver(zones: try ZoneSet([try builder.build()] + testZones().zones), tailored: FixedTailored())
    }

    private func ask(
        _ resolver: Resolver<FixedTailored>, _ name: String, _ type: RecordType, dnssecOK: Bool = false
    ) -> Reply {
        var bytes: [UInt8] = []
        let packet = Query(name: name, type: type).with(dnssecOK: dnssecOK).bytes
        let verdict = packet.withUnsafeBytes {
            resolver.respond(to: $0, from: address("203.0.113.9"), over: .udp, into: &bytes)
        }
        return Reply(bytes, verdict)
    }

    private static let hosts: [(String, RecordType, [UInt8])] = [
        ("h.test", .a, [192, 0, 2, 1]), ("h.test", .aaaa, Array(repeating: 1, count: 16)),
        ("cut.test", .ns, name("ns.cut.test").wire), ("ns.cut.test", .a, [192, 0, 2, 2]),
        ("*.wild.test", .a, [192, 0, 2, 3]),
    ]

    @Test(
        "the hosts that MX, SRV, SVCB, HTTPS and NS name come with their addresses",
        arguments: [
            (RecordType.mx, [0, 1] + name("h.test").wire), (.srv, [0, 1, 0, 1, 0, 1] + name("h.test").wire),
            (.https, [0, 1] + name("h.test").wire), (.svcb, [0, 0] + name("h.test").wire), (.ns, name("h.test").wire),
        ])
    func addresses(type: RecordType, data: [UInt8]) throws {
        let owner = type == .ns ? "test" : "s.test"
        let reply = ask(try server(Self.hosts + [(owner, type, data)]), owner, type)
        #expect(reply.verdict == .answeredStatic && reply.authority.isEmpty)
        let hosts = reply.additional.filter { $0.owner == "h.test." }
        #expect(hosts.map(\.type) == [.a, .aaaa])
    }

    @Test("a host named twice comes once, and hosts of other served zones come too")
    func hosts() throws {
        let mail = [name("h.test"), name("h.test"), name("host.example.net"), name("www.example.org")]
        let records = mail.enumerated().map { ("m.test", RecordType.mx, [0, UInt8($0.offset)] + $0.element.wire) }
        let reply = ask(try server(Self.hosts + records), "m.test", .mx)
        #expect(
            reply.additional.map { "\($0.owner) \($0.type)" } == [
                "h.test. A", "h.test. AAAA", "host.example.net. A", "host.example.net. AAAA",
            ])
    }

    @Test("a host below a delegation, and one from a wildcard, come without addresses")
    func without() throws {
        let mail = ["ns.cut.test", "x.wild.test"].map { ("m.test", RecordType.mx, [0, 1] + name($0).wire) }
        let reply = ask(try server(Self.hosts + mail), "m.test", .mx)
        #expect(reply.answer.count == 2 && reply.additional.isEmpty)
        // A name server may be found by glue.
        #expect(ask(try server(Self.hosts), "test", .ns).additional.map(\.owner) == ["ns.cut.test."])
    }

    private func ask(_ resolver: Resolver<FixedTailored>, _ query: Query) -> Reply {
        var bytes: [UInt8] = []
        let verdict = query.bytes.withUnsafeBytes {
            resolver.respond(to: $0, from: address("203.0.113.9"), over: .udp, into: &bytes)
        }
        return Reply(bytes, verdict)
    }

    private static func mail(_ hosts: String...) -> [(String, RecordType, [UInt8])] {
        hosts.enumerated().map { ("m.test", .mx, [0, UInt8($0.offset)] + name($0.element).wire) }
    }

    @Test("a tailored host comes with the addresses for the client, once, and the scope is that of its answer")
    func tailoredHost() throws {
        let resolver = try server(Self.mail("www.example.com", "WWW.example.com", "host.example.net"))
        let reply = ask(resolver, Query(name: "m.test", type: .mx).from("198.51.100.0/24"))
        #expect(
            reply.additional.map(\.description) == [
                "www.example.com. 60 A 198.51.100.0", "www.example.com. 60 A 198.51.100.1",
                "www.example.com. 60 AAAA 2001:db8:10::1", "host.example.net. 300 A 192.0.2.5",
                "host.example.net. 300 AAAA 2001:db8::1",
            ])
        // The deepest of 24 and 48.
        #expect(reply.scope == 48 && reply.verdict == .answeredStatic)
        let plain = ask(resolver, Query(name: "m.test", type: .mx).with())
        #expect(plain.additional.first?.description == "www.example.com. 60 A 203.0.113.9" && plain.scope == nil)
    }

    @Test("with a client subnet of length 0 the sender's address decides, with scope 0")
    func tailoredHostWithoutSubnet() throws {
        let reply = ask(
            try server(Self.mail("www.example.com")), Query(name: "m.test", type: .mx).from("0.0.0.0/0"))
        #expect(reply.additional.first?.description == "www.example.com. 60 A 203.0.113.9" && reply.scope == 0)
    }

    @Test(
        "the scope stays 0 if nothing in the reply was steered",
        arguments: ["host.example.net", "denied.example.com", "many.example.com"])
    func scopeWithoutTailored(host: String) throws {
        // Without the AAAA of the host, which fits.
        let type: [(String, RecordType, [UInt8])] = Self.mail(host)
        let reply = ask(try server(type), Query(name: "m.test", type: .mx).from("198.51.100.0/24"))
        let chosen = reply.additional.contains { $0.owner == "many.example.com." }
        #expect(reply.answer.count == 1 && !reply.isTruncated && reply.scope == (chosen ? 48 : 0))
        #expect(
            !reply.additional.contains {
                $0.owner == "denied.example.com." || $0.owner == "many.example.com." && $0.type == .a
            })
    }

    @Test("the target \".\" is the owner in ServiceMode, and no host in AliasMode (RFC 9460)")
    func ownTarget() throws {
        let own = try server([("s.test", .a, [192, 0, 2, 9]), ("s.test", .https, [0, 1, 0])])
        #expect(ask(own, "s.test", .https).additional.map(\.description) == ["s.test. 60 A 192.0.2.9"])
        let none = try server([("s.test", .a, [192, 0, 2, 9]), ("s.test", .https, [0, 0, 0])])
        #expect(ask(none, "s.test", .https).additional.isEmpty)
    }

    @Test("an AliasMode record brings the service bindings of its target")
    func alias() throws {
        let records: [(String, RecordType, [UInt8])] = [
            ("s.test", .https, [0, 0] + name("h.test").wire), ("h.test", .https, [0, 1, 0]),
        ]
        let reply = ask(try server(Self.hosts + records), "s.test", .https)
        #expect(reply.additional.map(\.type) == [.https, .a, .aaaa])
    }

    @Test("additional data that does not fit is left out without TC")
    func shed() throws {
        let big = (0..<60).map { ("h.test", RecordType.a, [198, 51, 100, UInt8($0)]) }
        let text = (0..<3).map { ("m.test", RecordType.mx, [0, UInt8($0)] + name("h\($0).test").wire) }
        let more = (0..<3).flatMap { host in big.map { ("h\(host).test", $0.1, $0.2) } }
        let reply = ask(try server(text + more), "m.test", .mx)
        #expect(!reply.isTruncated && reply.answer.count == 3 && reply.additional.count == 60)
    }

    @Test("a referral of an unsigned zone has no DS")
    func unsignedDS() throws {
        let ds: [UInt8] = [0, 1, 13, 2] + Array(repeating: 7, count: 32)
        let reply = ask(try server(Self.hosts + [("cut.test", .ds, ds)]), "x.cut.test", .a, dnssecOK: true)
        #expect(reply.authority.map(\.type) == [.ns])
        #expect(reply.additional.map(\.description) == ["ns.cut.test. 60 A 192.0.2.2"])
    }

    @Test("TTLs have 31 bits (RFC 2181, section 8)")
    func longTTL() throws {
        let reply = ask(try server([("t.test", .a, [192, 0, 2, 1])], ttl: 0xFFFF_FFFF), "t.test", .a)
        #expect(reply.answer.map(\.ttl) == [0x7FFF_FFFF])
    }

    @Test("RRSIG and NSEC of an alias are answered without following it (RFC 4035, section 2.5)")
    func notFollowed() throws {
        let resolver = try server([("c.test", .cname, name("h.test").wire)] + Self.hosts)
        #expect(ask(resolver, "c.test", .nsec).verdict == .noData)
        #expect(ask(resolver, "c.test", .a).answer.map(\.type) == [.cname, .a])
    }

    @Test("a chain of 15 aliases is followed")
    func longChain() throws {
        let chain = (0..<15).map { ("c\($0).test", RecordType.cname, name("c\($0 + 1).test").wire) }
        let reply = ask(try server(chain + [("c15.test", .a, [192, 0, 2, 1])]), "c0.test", .a)
        #expect(reply.answer.map(\.type) == Array(repeating: .cname, count: 15) + [.a])
    }
}
