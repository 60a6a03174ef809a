import DNSWire
import Resolution
import Testing

@Suite("Answers for tailored names")
struct ResolverTailoredTests {
    let server: TestServer
    init() throws { server = try TestServer() }

    @Test("the reply to a query without EDNS has the fixed layout")
    func plainLayout() {
        let reply = server.reply(to: Query(name: "wWw.example.com").bytes)
        #expect(reply.verdict == .answeredTailored)
        #expect(
            reply.bytes
                == hex(
                    """
                    1234 8500 0001 0002 0000 0000         -- id, QR AA RD, counts
                    03 775777 07 6578616d706c65 03 636f6d 00 0001 0001  -- the question, in the client's case
                    c00c 0001 0001 0000003c 0004 cb007109  -- the sender's own address, by the test's rule
                    c00c 0001 0001 0000003c 0004 c6336401
                    """))
    }

    @Test("the reply to a query with EDNS, DO and a client subnet has the fixed layout, and OPT is last")
    func subnetLayout() {
        var query = Query(flags: 0, name: "www.example.com", type: .aaaa).from("198.51.96.0/20")
        query.edns?.ttl = [0, 0, 0x80, 0]
        #expect(
            server.reply(to: query.bytes).bytes
                == hex(
                    """
                    1234 8400 0001 0001 0000 0001         -- id, QR AA, counts
                    03 777777 07 6578616d706c65 03 636f6d 00 001c 0001
                    c00c 001c 0001 0000003c 0010 20010db8001000000000000000000001
                    00 0029 04d0 00 00 8000 000b          -- OPT, payload 1232, version 0, DO, 11 bytes
                    0008 0007 0001 14 30 c63360           -- client subnet: IPv4, source 20, scope 48, three bytes
                    """))
    }

    @Test("the client subnet decides before the sender's address, and the scope is that of the answer")
    func subnet() {
        let reply = server.reply(to: Query(name: "www.example.com").from("198.51.100.0/24").bytes)
        #expect(reply.answer[0].description == "www.example.com. 60 A 198.51.100.0")
        #expect(reply.scope == 24)
    }

    @Test("source length 0 means the sender's address, and scope 0", arguments: ["0.0.0.0/0", "::/0"])
    func sourceZero(prefix: String) {
        let reply = server.reply(to: Query(name: "www.example.com").from(prefix).bytes)
        #expect(reply.answer[0].description == "www.example.com. 60 A 203.0.113.9")
        #expect(reply.scope == 0)
    }

    @Test("a type that no node has is NODATA with the zone's SOA and scope 0")
    func noData() {
        let reply = server.reply(to: Query(name: "v4only.example.com", type: .aaaa).from("198.51.100.0/24").bytes)
        #expect(reply.verdict == .noData && reply.isAuthoritative && reply.authority.map(\.type) == [.soa])
        #expect(reply.scope == 0)
    }

    @Test("other types are the zone's own data or NODATA")
    func otherTypes() {
        #expect(server.ask("www.example.com", .txt).answer.map(\.type) == [.txt])
        #expect(server.ask("v4only.example.com", .txt).verdict == .noData)
    }

    @Test("names above a tailored name exist, names below it do not")
    func existence() {
        #expect(server.ask("ent.example.com").verdict == .noData)
        #expect(server.ask("deep.ent.example.com").verdict == .answeredTailored)
        #expect(server.ask("x.www.example.com").verdict == .nxDomain)
    }

    @Test("a refusal is REFUSED, without authority")
    func refused() {
        let reply = server.ask("denied.example.com")
        #expect(reply.verdict == .refused && reply.code == 5 && !reply.isAuthoritative)
    }

    @Test("an answer that does not fit has TC and no records; over TCP it is whole")
    func truncated() {
        let query = Query(name: "many.example.com").from("198.51.96.0/20").bytes
        let reply = server.reply(to: query)
        #expect(reply.verdict == .truncated && reply.isTruncated && reply.answer.isEmpty && reply.opt != nil)
        #expect(server.reply(to: query, over: .tcp).answer.count == 100)
    }
}
