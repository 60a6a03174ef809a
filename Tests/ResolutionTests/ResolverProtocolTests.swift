import DNSWire
import IPNetworks
import Resolution
import Testing

@Suite("Message format")
struct ResolverProtocolTests {
    let server: TestServer
    init() throws { server = try TestServer() }

    @Test("responses and packets shorter than a header get no reply")
    func dropped() {
        #expect(server.reply(to: Query(flags: 0x8100, name: "static.example.com").bytes).verdict == .dropped)
        for length in 0..<12 {
            let reply = server.reply(to: Array(Query(name: "static.example.com").bytes.prefix(length)))
            #expect(reply.verdict == .dropped && reply.bytes.isEmpty)
        }
    }

    @Test("RD is copied; RA, Z, AD and CD are clear")
    func flags() {
        let reply = server.reply(to: Query(flags: 0x01F0, name: "static.example.com").bytes)
        #expect(Array(reply.bytes[2...3]) == [0x85, 0x00])
        #expect(server.reply(to: Query(flags: 0, name: "static.example.com").bytes).bytes[2] == 0x84)
    }

    @Test("other opcodes get NOTIMP, with the opcode copied", arguments: [1, 2, 4, 5, 15] as [UInt16])
    func opcodes(opcode: UInt16) {
        let reply = server.reply(to: Query(flags: opcode << 11, name: "static.example.com").bytes)
        #expect(reply.verdict == .notImp && reply.code == 4 && UInt16(reply.bytes[2] >> 3 & 15) == opcode)
        let bare = server.reply(to: hex("1234") + (opcode << 11).networkBytes + hex("0000 0000 0000 0000"))
        #expect(bare.code == 4 && bare.bytes.count == 12)
    }

    @Test("classes other than IN and ANY are refused", arguments: [RecordClass.ch, .hs, .none])
    func classes(recordClass: RecordClass) {
        #expect(server.reply(to: Query(name: "static.example.com", recordClass: recordClass).bytes).code == 5)
    }

    @Test(
        "class ANY is answered from class IN, without AA (RFC 1035, section 6.2)",
        arguments: ["static.example.com", "missing.example.com", "www.example.com"])
    func classAny(name: String) {
        let reply = server.reply(to: Query(name: name, recordClass: .any).bytes)
        var expected = server.ask(name).bytes
        expected[2] &= ~4
        let end = 12 + wireLength(name) + 4
        expected[end - 1] = 255
        #expect(reply.bytes == expected)
    }

    @Test(
        "transfers get REFUSED, other meta types NOTIMP",
        arguments: [
            (RecordType.axfr, 5, 4), (.ixfr, 5, 5), (.maila, 4, 4), (.mailb, 4, 4), (.opt, 4, 4), (.tsig, 4, 4),
            (.tkey, 4, 4),
        ])
    func metaTypes(type: RecordType, overTCP: Int, overUDP: Int) {
        #expect(server.ask("example.com", type, over: .tcp).code == overTCP)
        #expect(server.ask("example.com", type, over: .udp).code == overUDP)
    }

    @Test("a query with OPT gets OPT with 1232 bytes, version 0 and a copied DO")
    func edns() {
        let reply = server.reply(to: Query(name: "static.example.com").with(payload: 4096, dnssecOK: true).bytes)
        #expect(reply.bytes.suffix(11) == hex("00 0029 04d0 00 00 8000 0000")[...])
        #expect(server.reply(to: Query(name: "missing.example.com").with().bytes).opt?.ttl == 0)
        #expect(server.reply(to: Query(name: "www.example.org").with().bytes).opt != nil)
    }

    @Test("unknown options are ignored, and not sent back")
    func unknownOption() {
        let reply = server.reply(to: Query(name: "static.example.com").with(options: hex("ffee 0002 abcd")).bytes)
        #expect(reply.code == 0 && reply.opt?.data == [])
    }

    @Test("EDNS versions above 0 get BADVERS with version 0, with any options")
    func badVersion() {
        var query = Query(name: "static.example.com").with(options: hex("0008 0001 ff"))
        query.edns?.ttl = [0, 1, 0x80, 0]
        let reply = server.reply(to: query.bytes)
        #expect(reply.verdict == .badVers && reply.code == 16 && reply.opt?.ttl == 0x0100_8000)
        #expect(reply.answer.isEmpty && !reply.isAuthoritative)
    }

    @Test(
        "a malformed client subnet is a format error, in a reply with OPT",
        arguments: [
            ("0008 0008 0003 18 00 c6336400", "unknown family"), ("0008 0007 0000 18 00 c63364", "family 0"),
            ("0008 0004 0000 00 00", "family 0 with source length 0"),
            ("0008 0006 0001 18 00 c633", "too few bytes"), ("0008 0008 0001 18 00 c6336400", "too many bytes"),
            ("0008 0007 0001 14 00 c63364", "bits after the source length"), ("0008 0007 0001 18 08 c63364", "a scope"),
            ("0008 0009 0001 21 00 c633640000", "source beyond IPv4"), ("0008 0003 0001 00", "three bytes"),
            ("0008 0008 0001 18 00 c63364", "an option over the end"), ("0008 00", "half an option header"),
            ("0008 0007 0001 18 00 c63364 0008 0007 0001 18 00 c63364", "two subnets"),
        ])
    func malformedSubnet(option: String, what: String) {
        let reply = server.reply(to: Query(name: "www.example.com").with(options: hex(option)).bytes)
        #expect(reply.verdict == .formErr && reply.code == 1 && reply.opt?.data == [], "\(what)")
        #expect(reply.bytes[5] == 1, "the question is echoed")
    }

    @Test("an OPT record below the root is a format error, in a reply with OPT")
    func ownedOPT() {
        var packet = Query(name: "static.example.com").bytes + hex("c00c 0029 04d0 00 00 0000 0000")
        packet[11] = 1
        let reply = server.reply(to: packet)
        #expect(reply.code == 1 && reply.opt != nil)
    }

    @Test("reserved flags and the extended code of a query's OPT are ignored, and not sent back")
    func reservedFlags() {
        var query = Query(name: "static.example.com").with()
        query.edns?.ttl = [0xff, 0, 0x7f, 0xff]
        let reply = server.reply(to: query.bytes)
        #expect(reply.code == 0 && reply.answer.count == 2 && reply.opt?.ttl == 0)
    }

    @Test("two OPT records are a format error")
    func twoOPT() {
        var packet = Query(name: "static.example.com").with().bytes + hex("00 0029 04d0 00 00 0000 0000")
        packet[11] = 2
        let reply = server.reply(to: packet)
        #expect(reply.code == 1 && reply.opt != nil)
    }

    @Test("a query without exactly one question is a format error, with a reply without question")
    func questionCount() {
        var none = hex("1234 0100 0000 0000 0000 0000")
        #expect(server.reply(to: none).bytes == hex("1234 8101 0000 0000 0000 0000"))
        none[11] = 1
        #expect(server.reply(to: none + hex("00 0029 04d0 00 00 0000 0000")).opt != nil)
        var two = Query(name: "static.example.com").bytes
        two += two[12...]
        two[5] = 2
        #expect(server.reply(to: two).bytes == hex("1234 8101 0000 0000 0000 0000"))
    }

    @Test("truncated packets, trailing bytes, answers in a query and pointers in the question are format errors")
    func malformed() {
        let packet = Query(name: "static.example.com").with().bytes
        for length in 12..<packet.count { #expect(server.reply(to: Array(packet.prefix(length))).code == 1) }
        #expect(server.reply(to: packet + [0]).code == 1)
        var pointer = hex("1234 0100 0001 0000 0000 0000 c00c 0001 0001")
        #expect(server.reply(to: pointer).code == 1)
        pointer = hex("1234 0100 0001 0001 0000 0000 00 0001 0001 00 0001 0001 00000000 0000")
        #expect(server.reply(to: pointer).code == 1)
    }

    @Test(
        "the UDP limit is 512 without EDNS, and with it the payload size between 512 and 1232",
        arguments: [(nil, 512), (0, 512), (512, 512), (600, 600), (1232, 1232), (65535, 1232)] as [(UInt16?, Int)])
    func limits(payload: UInt16?, limit: Int) {
        var query = Query(name: "longest.example.com")
        if let payload { query = query.with(payload: payload) }
        // The largest set that fits is found by asking for tailored sets of growing size.
        let header = query.bytes.count
        let fitting = (limit - header) / 16
        for (count, truncated) in [(fitting, false), (fitting + 1, true)] {
            let resolver = Resolver(zones: server.resolver.zones, tailored: Sized(count: count))
            var reply: [UInt8] = []
            let verdict = query.bytes.withUnsafeBytes {
                resolver.respond(to: $0, from: .v4(1), over: .udp, into: &reply)
            }
            #expect((verdict == .truncated) == truncated)
            #expect(reply.count <= limit)
        }
    }

    @Test("an RRset that does not fit is left out whole, with TC, also in-domain glue (RFC 9471)")
    func truncation() {
        let data = server.ask("many.big.test")
        #expect(data.verdict == .truncated && data.isTruncated && data.answer.isEmpty)
        #expect(server.ask("many.big.test", over: .tcp).answer.count == 100)
        let referral = server.ask("x.deleg.big.test")
        #expect(referral.isTruncated && referral.authority.count == 1 && referral.additional.isEmpty)
        #expect(server.ask("x.deleg.big.test", over: .tcp).additional.count == 100)
    }
}

private func wireLength(_ text: String) -> Int { name(text).wire.count }

/// Answers every A query with a number of addresses.
private struct Sized: TailoredResolving {
    var count: Int
    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? { 0 }
    func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision {
        .answer(TailoredAnswer(addresses: (0..<UInt32(count)).map { .v4($0) }, ttl: 1, scope: 0))
    }
}
