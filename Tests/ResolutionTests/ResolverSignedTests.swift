import DNSWire
import IPNetworks
import Resolution
import Testing
import Zones

/// Answers from signed zones, as RFC 4035 and RFC 5155 give them in appendix B of each.
@Suite("Answers from signed zones")
struct ResolverSignedTests {
    private func ask(_ zone: Zone, _ name: String, _ type: RecordType, dnssecOK: Bool = true) throws -> Reply {
        try ask(zone, Query(name: name, type: type).with(dnssecOK: dnssecOK), over: .tcp)
    }

    private func ask(_ zone: Zone, _ query: Query, over transport: QueryTransport) throws -> Reply {
        let resolver = Resolver(zones: try ZoneSet([zone]), tailored: NoTailored())
        var bytes: [UInt8] = []
        let verdict = query.bytes.withUnsafeBytes {
            resolver.respond(to: $0, from: address("203.0.113.9"), over: transport, into: &bytes)
        }
        return Reply(bytes, verdict)
    }

    /// The owners of the NSEC or NSEC3 records of a section; all of them must have a signature.
    private func proof(_ reply: Reply, _ type: RecordType) -> Set<String> {
        let owners = reply.authority.filter { $0.type == type }.map(\.owner)
        #expect(owners.count == Set(owners).count, "no record twice")
        for owner in owners { #expect(reply.authority.contains { $0.owner == owner && $0.type == .rrsig }) }
        return Set(owners.map { String($0.dropLast(".example.".count)) })
    }

    private func hashed(_ prefixes: [String]) -> Set<String> {
        Set(prefixes.map { prefix in SignedZone.hashes.first { $0.hasPrefix(prefix) }! })
    }

    @Test("data come with signatures only if DO is set")
    func data() throws {
        let zone = try SignedZone.nsec()
        let reply = try ask(zone, "x.w.example", .mx)
        #expect(reply.answer.map(\.type) == [.mx, .rrsig] && reply.authority.isEmpty)
        #expect(Array(reply.answer[1].data.prefix(2)) == [0, 15])
        #expect(
            reply.additional.map { "\($0.owner) \($0.type)" } == [
                "xx.example. A", "xx.example. RRSIG", "xx.example. AAAA", "xx.example. RRSIG",
            ])
        let plain = try ask(zone, "x.w.example", .mx, dnssecOK: false)
        #expect(plain.answer.map(\.type) == [.mx] && plain.additional.map(\.type) == [.a, .aaaa])
        #expect(try ask(zone, "ml.example", .a, dnssecOK: false).authority.map(\.type) == [.soa])
        #expect(try ask(zone, "mc.b.example", .mx, dnssecOK: false).authority.map(\.type) == [.ns])
    }

    @Test("in the additional section a signature that does not fit is left out, and its RRset stays")
    func additionalSignature() throws {
        let hosts = (1...4).map { "h\($0).example" }
        let more: [SignedZone.Record] =
            hosts.map { ("m.example", .mx, [0, 1] + name($0).wire) }
            + hosts.flatMap { host -> [SignedZone.Record] in
                [(host, .a, [192, 0, 2, 1]), (host, .aaaa, address("2001:db8::1").bytes)]
            }
        let zone = try SignedZone.nsec(adding: more)
        func reply(_ payload: Int) throws -> Reply {
            let query = Query(name: "m.example", type: .mx).with(payload: UInt16(payload), dnssecOK: true)
            let reply = try ask(zone, query, over: .udp)
            #expect(!reply.isTruncated && reply.answer.count == 5 && reply.bytes.count <= payload)
            return reply
        }
        let whole = try reply(1232)
        let records = whole.additional.map(\.description)
        let length = whole.bytes.count
        #expect(whole.additional.map(\.type) == (1...8).flatMap { [$0.isMultiple(of: 2) ? .aaaa : .a, .rrsig] })
        #expect(try reply(length).additional.map(\.description) == records)
        #expect(try reply(length - 1).additional.map(\.description) == records.dropLast())
        // Owner pointer, type, class, TTL and length, then the signature.
        let signature = 12 + (whole.additional.last?.data.count ?? 0)
        #expect(try reply(length - signature).additional.map(\.description) == records.dropLast())
        #expect(try reply(length - signature - 1).additional.map(\.description) == records.dropLast(2))
    }

    @Test(
        "NSEC denies missing names and types (RFC 4035, appendix B, and empty non-terminals)",
        arguments: [
            ("ml.example", RecordType.a, 3, ["b", ""]), ("ns1.example", .mx, 0, ["ns1"]),
            ("a.z.w.example", .aaaa, 0, ["x.y.w", "*.w"]), ("example", .ds, 0, [""]), ("y.w.example", .a, 0, ["x.w"]),
            ("b.example", .ds, 0, ["b"]), ("*.w.example", .a, 0, ["*.w"]), ("x.x.w.example", .a, 3, ["x.w"]),
        ])
    func nsec(name: String, type: RecordType, code: Int, owners: [String]) throws {
        let reply = try ask(try SignedZone.nsec(), name, type)
        #expect(reply.code == code && reply.answer.isEmpty)
        #expect(reply.authority.prefix(2).map(\.type) == [.soa, .rrsig])
        let wanted = Set(owners.map { $0.isEmpty ? "example." : $0 + ".example." })
        #expect(Set(reply.authority.filter { $0.type == .nsec }.map(\.owner)) == wanted)
        _ = proof(reply, .nsec)
    }

    @Test(
        "NSEC3 denies missing names and types (RFC 5155, appendix B, and opt-out)",
        arguments: [
            ("a.c.x.w.example", RecordType.a, 3, ["0p9m", "b4um", "35mt"]), ("ns1.example", .mx, 0, ["2t7b"]),
            ("y.w.example", .a, 0, ["ji6n"]), ("a.z.w.example", .aaaa, 0, ["k8ud", "q04j", "r53b"]),
            ("example", .ds, 0, ["0p9m"]), ("c.example", .ds, 0, ["0p9m", "35mt"]),
        ])
    func nsec3(name: String, type: RecordType, code: Int, owners: [String]) throws {
        let reply = try ask(try SignedZone.nsec3(), name, type)
        #expect(reply.code == code && reply.answer.isEmpty)
        #expect(reply.authority.prefix(2).map(\.type) == [.soa, .rrsig])
        #expect(proof(reply, .nsec3) == hashed(owners))
    }

    @Test("a wildcard answer has the wildcard's signature, and the proof that no closer name exists")
    func wildcards() throws {
        let reply = try ask(try SignedZone.nsec(), "a.z.w.example", .mx)
        #expect(reply.answer.map(\.owner) == ["a.z.w.example.", "a.z.w.example."])
        #expect(reply.answer[1].data.suffix(14) == Array("*.w.example MX".utf8)[...])
        #expect(proof(reply, .nsec) == ["x.y.w"] && reply.authority.count == 2)
        let hashedReply = try ask(try SignedZone.nsec3(), "a.z.w.example", .mx)
        #expect(hashedReply.answer.count == 2 && proof(hashedReply, .nsec3) == hashed(["q04j"]))
    }

    @Test("a chain through a wildcard keeps its proof out of the answer section")
    func wildcardAlias() throws {
        let more: [SignedZone.Record] = [("*.ai.example", .cname, name("ns1.example").wire)]
        let reply = try ask(try SignedZone.nsec(adding: more), "x.ai.example", .a)
        #expect(reply.answer.map(\.type) == [.cname, .rrsig, .a, .rrsig])
        #expect(proof(reply, .nsec) == ["ai"])
    }

    @Test("a referral has the DS and its signature, or the proof that there is none; addresses are not signed")
    func referrals() throws {
        for zone in [try SignedZone.nsec(), try SignedZone.nsec3()] {
            let signed = try ask(zone, "mc.a.example", .mx)
            #expect(signed.authority.map(\.type) == [.ns, .ns, .ds, .rrsig] && !signed.isAuthoritative)
            #expect(signed.additional.map(\.type) == [.a, .a])
        }
        let unsigned = try ask(try SignedZone.nsec(), "mc.b.example", .mx)
        #expect(unsigned.authority.map(\.type) == [.ns, .nsec, .rrsig] && proof(unsigned, .nsec) == ["b"])
        let leftOut = try ask(try SignedZone.nsec3(), "mc.c.example", .mx)
        #expect(leftOut.verdict == .referral && proof(leftOut, .nsec3) == hashed(["0p9m", "35mt"]))
        #expect(try ask(try SignedZone.nsec(), "a.example", .ds).answer.map(\.type) == [.ds, .rrsig])
    }

    @Test("the names of NSEC3 records do not exist (RFC 5155, section 7.2.8)")
    func hashedOwners() throws {
        let zone = try SignedZone.nsec3()
        for name in ["\(SignedZone.hashes[1]).example", "x.\(SignedZone.hashes[1]).example"] {
            for type in [RecordType.nsec3, .a, .any, .rrsig] {
                #expect(try ask(zone, name, type).verdict == .nxDomain)
            }
        }
    }

    @Test("RRSIG, NSEC, DNSKEY and NSEC3PARAM can be queried")
    func explicit() throws {
        let zone = try SignedZone.nsec()
        let signatures = try ask(zone, "xx.example", .rrsig, dnssecOK: false)
        #expect(signatures.answer.map(\.type) == [.rrsig, .rrsig, .rrsig])
        // A, AAAA and NSEC, in order
        #expect(signatures.answer.map { $0.data[1] } == [1, 28, 47])
        #expect(try ask(zone, "xx.example", .nsec).answer.map(\.type) == [.nsec, .rrsig])
        #expect(try ask(zone, "example", .dnskey).answer.map(\.type) == [.dnskey, .rrsig])
        #expect(try ask(try SignedZone.nsec3(), "example", .nsec3param).answer.map(\.type) == [.nsec3param, .rrsig])
        #expect(try ask(zone, "xx.example", .any).answer.map(\.type) == [.a, .rrsig])
    }

    @Test("a zone with too many NSEC3 iterations is refused (RFC 9276)")
    func iterations() throws {
        #expect(throws: Never.self) { try SignedZone.nsec3(iterations: 150) }
        #expect(throws: ZoneError.self) { try SignedZone.nsec3(iterations: 151) }
    }
}
