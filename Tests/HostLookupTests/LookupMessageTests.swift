import DNSWire
import HostLookup
import IPNetworks
import Testing

@Suite struct LookupMessageTests {
    private let question: LookupQuestion

    init() throws {
        var random = SystemRandomNumberGenerator()
        // 40 letters: that all are in lower case has a chance of 2⁻⁴⁰.
        question = LookupQuestion(
            try DomainName("abcdefghij.abcdefghij.abcdefghij.abcdefghij"), .v4, random: &random)
    }

    private var host: String { "\(question.name)" }
    private func read(_ reply: Reply) -> LookupReply { LookupReply(reply.message(to: question), to: question) }

    @Test func `questions differ in id and case, and ask for the type of the family`() throws {
        var random = SystemRandomNumberGenerator()
        let others = (0..<8).map { _ in LookupQuestion(question.name, .v6, random: &random) }
        #expect(Set(others.map { $0.message[0..<2] }).count > 1)
        #expect(Set(others.map { $0.message[12...] }).count > 1)
        #expect(others.allSatisfy { $0.message.suffix(4) == [0, 28, 0, 1] })
        #expect(question.message.suffix(4) == [0, 1, 0, 1])
        #expect(question.message[12...].map(DomainName.lowercased).dropLast(4) == question.name.lowercasedWire[...])
    }

    @Test func `a reply with another id, question, type, or kind of message is unrelated`() {
        let good = Reply().message(to: question)
        #expect(question.verdict(on: good, overTCP: false) == .reply)
        for (offset, mask) in [(0, 1), (1, 1), (2, 0x80), (2, 0x08), (5, 3), (13, 0x01), (good.count - 3, 28)] {
            var forged = good
            forged[offset] ^= UInt8(mask)
            #expect(question.verdict(on: forged, overTCP: false) == .unrelated, "byte \(offset)")
            #expect(question.verdict(on: forged, overTCP: true) == .unrelated, "byte \(offset)")
        }
        for length in 0..<good.count {
            #expect(question.verdict(on: Array(good.prefix(length)), overTCP: false) == .unrelated)
        }
    }

    @Test func `a reply in another case or a truncated one is asked for over TCP`() {
        var other = Reply().message(to: question)
        other[13] ^= 0x20
        #expect(question.verdict(on: other, overTCP: false) == .needsTCP)
        #expect(question.verdict(on: other, overTCP: true) == .reply)
        #expect(question.verdict(on: Reply(flags: 0x8380).message(to: question), overTCP: false) == .needsTCP)
    }

    @Test func `an error without the question counts for less than a reply, and anything else without it for nothing`()
    {
        let refused = [question.message[0], question.message[1], 0x81, 0x85] + [UInt8](repeating: 0, count: 8)
        #expect(question.verdict(on: refused, overTCP: false) == .bareError)
        #expect(question.verdict(on: refused, overTCP: true) == .bareError)
        #expect(LookupReply(refused, to: question) == .failed("the server answers REFUSED"))
        // NXDOMAIN is 3, one more than SERVFAIL, and REFUSED is 5.
        for (offset, mask) in [(0, 1), (2, 0x80), (3, 5), (3, 6), (5, 2)] {
            var other = refused
            other[offset] ^= UInt8(mask)
            #expect(question.verdict(on: other, overTCP: false) == .unrelated, "byte \(offset)")
        }
    }

    @Test func `a chain of aliases is followed in any order and case, with the shortest TTL`() throws {
        let reply = Reply(answers: [
            try Reply.a("END.example", 1, ttl: 90), try Reply.alias("middle.example", "end.example", ttl: 30),
            try Reply.alias(host, "Middle.example", ttl: 40), try Reply.a("end.example", 2, ttl: 80),
            try Reply.a("end.example", 1), try Reply.a("other.example", 9, ttl: 1),
        ])
        #expect(read(reply) == .addresses([try address("192.0.2.1"), try address("192.0.2.2")], seconds: 30))
    }

    @Test func `eight aliases are followed, nine and loops are not`() throws {
        func chain(_ count: Int) throws -> Reply {
            var reply = Reply(answers: [try Reply.alias(host, "1.example")])
            for index in 1..<count { reply.answers.append(try Reply.alias("\(index).example", "\(index + 1).example")) }
            reply.answers.append(try Reply.a("\(count).example", 1))
            return reply
        }
        #expect(read(try chain(8)) == .addresses([try address("192.0.2.1")], seconds: 60))
        let refused = LookupReply.failed("a chain of more than 8 CNAME records, or a loop")
        #expect(read(try chain(9)) == refused)
        #expect(read(Reply(answers: [try Reply.alias(host, "x."), try Reply.alias("x.", host)])) == refused)
    }

    @Test func `negative replies last as the SOA record says`() throws {
        let soa = try Reply.soa("example", ttl: 200, minimum: 100)
        #expect(read(Reply(flags: 0x8183, authority: [soa])) == .noSuchName(seconds: 100))
        #expect(read(Reply(authority: [soa])) == .noData(seconds: 100))
        let short = try Reply.alias(host, "x.", ttl: 7)
        #expect(read(Reply(flags: 0x8183, answers: [short], authority: [soa])) == .noSuchName(seconds: 7))
        #expect(read(Reply()) == .noData(seconds: 0))
    }

    @Test func `a reply about another name, and a referral, are failures`() throws {
        let other = try Reply.a("other.example", 1)
        #expect(read(Reply(answers: [other])) == .failed("the reply answers another name"))
        #expect(
            read(Reply(flags: 0x8183, answers: [other], authority: [try Reply.soa("example", ttl: 9, minimum: 9)]))
                == .failed("the reply answers another name"))
        let server = try Reply.record("example", 2, 60, DomainName("ns.example").wire)
        #expect(read(Reply(authority: [server])) == .failed("the server refers to others"))
        let soa = try Reply.soa("example", ttl: 200, minimum: 100)
        #expect(read(Reply(authority: [server, soa])) == .noData(seconds: 100))
    }

    @Test func `replies that decide nothing are failures`() throws {
        #expect(read(Reply(flags: 0x8182)) == .failed("the server answers SERVFAIL"))
        #expect(read(Reply(flags: 0x8185)) == .failed("the server answers REFUSED"))
        #expect(read(Reply(flags: 0x8100)) == .failed("the server offers no recursion"))
        #expect(read(Reply(flags: 0x8380)) == .failed("the reply is truncated"))
        let wrong = try Reply.record(host, 1, 60, [192, 0, 2])
        #expect(read(Reply(answers: [wrong])) == .failed("the reply is malformed"))
        let whole = Reply(answers: [try Reply.a(host, 1)]).message(to: question)
        for length in question.message.count..<whole.count {
            #expect(LookupReply(Array(whole.prefix(length)), to: question) == .failed("the reply is malformed"))
        }
    }

    @Test func `servers are read from a resolv.conf`() {
        let text = """
            # nameserver 192.0.2.9
            search example.com
            nameserver 192.0.2.1
            nameserver\t2001:db8::1  ; text
            nameserver fe80::1%eth0
            nameserver 192.0.2.3
            nameserver 192.0.2.4
            """
        #expect(LookupServer.list(text).map { "\($0)" } == ["192.0.2.1", "2001:db8::1", "192.0.2.3"])
    }
}
