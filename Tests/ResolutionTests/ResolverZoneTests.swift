import DNSWire
import Resolution
import Testing

@Suite("Answers from zones")
struct ResolverZoneTests {
    let server: TestServer
    init() throws { server = try TestServer() }

    @Test("an RRset is answered whole, with AA, and case is preserved")
    func data() {
        let reply = server.ask("StAtIc.example.COM")
        #expect(reply.verdict == .answeredStatic && reply.isAuthoritative && reply.code == 0)
        #expect(
            reply.answer.map(\.description) == [
                "StAtIc.example.COM. 300 A 192.0.2.1", "StAtIc.example.COM. 300 A 192.0.2.2",
            ])
        #expect(reply.authority.isEmpty && reply.additional.isEmpty && reply.opt == nil)
    }

    @Test(
        "a name without the type gives NODATA with the SOA and the negative TTL",
        arguments: [
            ("static.example.com", 300), ("b.c.example.com", 300), ("c.example.com", 300), ("ns2.example.net", 100),
        ])
    func noData(name: String, ttl: UInt32) {
        let reply = server.ask(name, .aaaa)
        #expect(reply.verdict == .noData && reply.code == 0 && reply.isAuthoritative)
        #expect(reply.answer.isEmpty && reply.authority.map(\.type) == [.soa] && reply.authority[0].ttl == ttl)
    }

    @Test(
        "a name that does not exist gives NXDOMAIN with the SOA",
        arguments: ["missing.example.com", "x.a.b.c.example.com"])
    func nxDomain(name: String) {
        let reply = server.ask(name)
        #expect(reply.verdict == .nxDomain && reply.code == 3 && reply.isAuthoritative)
        #expect(reply.authority.map(\.owner) == ["example.com."])
    }

    @Test("a wildcard answers below its encloser only where no closer name exists (RFC 4592)")
    func wildcards() {
        #expect(
            server.ask("any.wild.example.com").answer.map(\.description) == ["any.wild.example.com. 300 A 192.0.2.3"])
        #expect(server.ask("x.y.wild.example.com").answer.count == 1)
        #expect(server.ask("*.wild.example.com").answer.count == 1)
        #expect(server.ask("any.wild.example.com", .mx).verdict == .noData)
        #expect(server.ask("real.wild.example.com").verdict == .noData)
        #expect(server.ask("x.real.wild.example.com").verdict == .nxDomain)
        #expect(server.ask("wild.example.com").verdict == .noData)
        #expect(
            server.ask("q.alias.wild2.example.com").answer.map(\.description) == [
                "q.alias.wild2.example.com. 300 CNAME static.example.com.", "static.example.com. 300 A 192.0.2.1",
                "static.example.com. 300 A 192.0.2.2",
            ])
    }

    @Test("aliases are followed, also into other zones")
    func aliases() {
        #expect(
            server.ask("alias2.example.com").answer.map(\.description) == [
                "alias2.example.com. 60 CNAME alias.example.com.", "alias.example.com. 60 CNAME static.example.com.",
                "static.example.com. 300 A 192.0.2.1", "static.example.com. 300 A 192.0.2.2",
            ])
        #expect(server.ask("toother.example.com").answer.last?.description == "host.example.net. 300 A 192.0.2.5")
        #expect(server.ask("alias.example.com", .cname).answer.count == 1)
        #expect(server.ask("outside.example.com").answer.map(\.type) == [.cname])
    }

    @Test("the reply code is that of the last name of a chain (RFC 6604)")
    func aliasToNothing() {
        let reply = server.ask("tonothing.example.com")
        #expect(reply.code == 3 && reply.answer.count == 1 && reply.authority.map(\.owner) == ["example.net."])
        #expect(server.ask("alias.example.com", .mx).verdict == .noData)
    }

    @Test("a loop of aliases ends")
    func loops() {
        let reply = server.ask("loop1.example.com")
        #expect(reply.code == 0 && reply.answer.map(\.type) == [.cname, .cname])
    }

    @Test("a chain stops before a tailored name, with scope 0")
    func aliasToTailored() {
        let reply = server.reply(to: Query(name: "totailored.example.com").from("198.51.100.0/24").bytes)
        #expect(reply.answer.map(\.description) == ["totailored.example.com. 60 CNAME www.example.com."])
        #expect(reply.verdict == .answeredStatic && reply.authority.isEmpty && reply.scope == 0)
    }

    @Test("a DNAME is answered with itself and the synthesised CNAME (RFC 6672)")
    func dname() {
        #expect(
            server.ask("Host.dname.example.com").answer.map(\.description) == [
                "dname.example.com. 120 DNAME example.net.", "Host.dname.example.com. 120 CNAME Host.example.net.",
                "Host.example.net. 300 A 192.0.2.5",
            ])
        #expect(server.ask("dname.example.com").verdict == .noData)
        #expect(server.ask("dname.example.com", .dname).answer.count == 1)
        #expect(server.ask("x.dname.example.com", .cname).answer.map(\.type) == [.dname, .cname])
    }

    @Test("a DNAME whose result is too long gives YXDOMAIN")
    func dnameTooLong() {
        let label = String(repeating: "c", count: 63)
        let reply = server.ask("\(label).\(label).longtarget.example.net")
        #expect(reply.code == 6 && reply.verdict == .yxDomain && reply.answer.map(\.type) == [.dname])
    }

    @Test("at and below a delegation the reply is a referral with glue, without AA")
    func referral() {
        for name in ["child.example.com", "www.child.example.com", "ns.child.example.com"] {
            let reply = server.ask(name)
            #expect(reply.verdict == .referral && !reply.isAuthoritative && reply.code == 0 && reply.answer.isEmpty)
            #expect(reply.authority.map(\.type) == [.ns, .ns, .ns])
            #expect(
                reply.additional.map(\.description) == [
                    "ns.child.example.com. 300 A 192.0.2.99", "ns1.example.com. 300 A 192.0.2.53",
                ])
        }
        let chained = server.ask("tochild.example.com")
        #expect(chained.isAuthoritative && chained.answer.count == 1 && chained.authority.count == 3)
    }

    @Test("DS belongs to the parent's side of a delegation")
    func ds() {
        #expect(server.ask("child.example.com", .ds).answer.count == 1)
        let served = server.ask("sub.example.com", .ds)
        #expect(served.verdict == .noData && served.authority.map(\.owner) == ["example.com."])
        #expect(server.ask("example.com", .ds).authority.map(\.owner) == ["example.com."])
    }

    @Test("the zone with the longest matching name answers")
    func longestZone() {
        #expect(server.ask("x.sub.example.com").answer.count == 1)
        #expect(server.ask("y.sub.example.com").authority.map(\.owner) == ["sub.example.com."])
    }

    @Test("names outside the zones are refused", arguments: ["example.org", "com", ".", "notexample.com"])
    func outside(name: String) {
        let reply = server.ask(name)
        #expect(reply.verdict == .refused && reply.code == 5 && !reply.isAuthoritative && reply.authority.isEmpty)
    }

    @Test("ANY gives one RRset, or HINFO where all data are tailored (RFC 8482)")
    func any() {
        #expect(server.ask("static.example.com", .any).answer.map(\.type) == [.a, .a])
        #expect(server.ask("v4only.example.com", .any).answer.map(\.type) == [.hinfo])
        #expect(server.ask("v4only.example.com", .any).answer[0].data == [7] + Array("RFC8482".utf8) + [0])
        #expect(server.ask("c.example.com", .any).verdict == .noData)
    }

    @Test("names in the RDATA of old types are compressed, also against the question")
    func compression() {
        let reply = server.ask("example.com", .mx)
        // preference 10, then "mail" and a pointer to the question's name
        #expect(reply.answer[0].data == hex("000a 04 6d61696c c00c"))
        let soa = server.ask("missing.example.com").authority[0]
        // "ns1" and a pointer behind "missing", "admin" and the same pointer
        #expect(soa.data.prefix(14) == hex("03 6e7331 c014 05 61646d696e c014")[...])
    }
}
