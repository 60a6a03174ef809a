import DNSWire
import IPNetworks
import Resolution
import Testing

private let noon: UInt32 = 1_700_000_000

@Suite("Response rate limit")
struct ResponseRateLimitTests {
    private func server(
        rate: UInt16 = 5, errors: UInt16? = nil, slip: UInt8 = 2, exempt: String? = nil, cookies: CookieKeys? = nil
    ) throws -> TestServer {
        let limit = ResponseRateLimit(
            RateLimitRule(responsesPerSecond: rate, errorsPerSecond: errors ?? rate, slip: slip),
            exempt: exempt.flatMap { IPPrefix($0) }.map { [$0] } ?? [],
            secret: 7)
        return try TestServer(settings: ProtocolSettings(cookies: cookies, rateLimit: limit))
    }

    private func verdicts(
        _ server: TestServer, _ count: Int, of name: String = "static.example.com", from client: String = "203.0.113.9",
        over transport: QueryTransport = .udp, at second: UInt32 = noon
    ) -> [Verdict] {
        (0..<count).map { _ in
            server.reply(to: Query(name: name).with().bytes, from: client, over: transport, at: second).verdict
        }
    }

    @Test("replies up to the rate pass, and every second of the others is truncated")
    func limit() throws {
        let server = try server()
        let expected = Array(repeating: Verdict.answeredStatic, count: 5) + [.rateDropped, .rateSlipped, .rateDropped]
        #expect(verdicts(server, 8) == expected)
        #expect(verdicts(server, 6, at: noon + 1).prefix(5).allSatisfy { $0 == .answeredStatic })
        // A pause saves no more than one second's worth.
        #expect(verdicts(server, 6, at: noon + 3600).count { $0 == .answeredStatic } == 5)
    }

    @Test(
        "slip decides how many replies over the limit are truncated",
        arguments: [(0, 0), (1, 30), (2, 15), (3, 10), (10, 3)])
    func slip(slip: UInt8, cut: Int) throws {
        let verdicts = verdicts(try server(rate: 1, slip: slip), 31)
        #expect(verdicts.count { $0 == .rateSlipped } == cut)
        #expect(verdicts.count { $0 == .rateDropped } == 30 - cut)
    }

    @Test("a truncated reply has TC, the question and OPT; a dropped one is not sent")
    func replies() throws {
        let server = try server(rate: 1, slip: 2)
        let packet = Query(name: "many.big.test").with(payload: 4096).bytes
        let replies = (0..<3).map { _ in server.reply(to: packet, at: noon) }
        #expect(replies.map(\.verdict) == [.truncated, .rateDropped, .rateSlipped])
        #expect(replies[1].bytes.isEmpty)
        #expect(replies[2].isTruncated && replies[2].code == 0 && replies[2].opt != nil)
        #expect(replies[2].answer.isEmpty && replies[2].bytes.count == packet.count)
    }

    @Test("kinds of replies are counted separately, and errors together")
    func classes() throws {
        let server = try server(rate: 1, slip: 0)
        for name in ["static", "missing", "real.wild", "x.child"] {
            #expect(verdicts(server, 2, of: "\(name).example.com")[1] == .rateDropped)
            #expect(verdicts(server, 1, of: "\(name).example.com", at: noon + 1)[0] != .rateDropped)
        }
        #expect(verdicts(server, 1, of: "example.org") == [.refused])
        #expect(server.reply(to: Query(flags: 0x2800, name: "example.com").bytes, at: noon).verdict == .rateDropped)
    }

    @Test("errors have their own rate, also if answers are not limited, and in a dry run")
    func errors() throws {
        let rules = [
            RateLimitRule(responsesPerSecond: 0, errorsPerSecond: 3, slip: 0),
            RateLimitRule(responsesPerSecond: 1, errorsPerSecond: 3, slip: 0, isDryRun: true),
        ]
        for rule in rules {
            let server = try TestServer(settings: ProtocolSettings(rateLimit: ResponseRateLimit(rule, secret: 7)))
            #expect(verdicts(server, 20).allSatisfy { $0 == .answeredStatic })
            let expected: [Verdict] = [.refused, .refused, .refused, .rateDropped, .rateDropped]
            #expect(verdicts(server, 5, of: "example.org") == expected)
            #expect(verdicts(server, 5, of: "example.org", from: "203.0.114.9") == expected, "another network")
            #expect(verdicts(server, 5, of: "example.org", over: .tcp).allSatisfy { $0 == .refused })
        }
        #expect(RateLimitRule.errorsOnly.errorsPerSecond == 1_000)
    }

    @Test("clients of one /24 or /56 are counted together, and other networks separately")
    func networks() throws {
        let server = try server(rate: 1, slip: 0)
        let senders = [
            "203.0.113.9", "203.0.113.200", "203.0.114.9", "2001:db8:0:ff::1", "2001:db8::1", "2001:db8:0:100::1",
        ]
        let expected: [Verdict] = [
            .answeredStatic, .rateDropped, .answeredStatic, .answeredStatic, .rateDropped, .answeredStatic,
        ]
        #expect(senders.flatMap { verdicts(server, 1, from: $0) } == expected)
    }

    @Test("TCP, TLS, exempt networks and valid cookies are not limited")
    func bypass() throws {
        let keys = CookieKeys(secrets: [CookieSecret(Array(repeating: 3, count: 16))!])
        let server = try server(rate: 1, slip: 0, exempt: "198.51.100.0/24", cookies: keys)
        #expect(verdicts(server, 9, over: .tcp).allSatisfy { $0 == .answeredStatic })
        #expect(verdicts(server, 9, over: .tls).allSatisfy { $0 == .answeredStatic })
        #expect(verdicts(server, 9, from: "198.51.100.7").allSatisfy { $0 == .answeredStatic })
        let client: [UInt8] = [0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]
        let first = server.reply(to: Query(name: "static.example.com").with(options: client).bytes, at: noon)
        let whole = [0, 10, 0, 24] + (first.option(10) ?? [])
        for _ in 0..<9 {
            let reply = server.reply(to: Query(name: "static.example.com").with(options: whole).bytes, at: noon)
            #expect(reply.verdict == .answeredStatic)
        }
        #expect(verdicts(server, 1) == [.rateDropped], "the first reply, to a client cookie alone, was counted")
    }

    @Test("a clock that is set back lets replies pass")
    func clock() throws {
        let server = try server(rate: 1, slip: 0)
        #expect(verdicts(server, 2) == [.answeredStatic, .rateDropped])
        #expect(verdicts(server, 2, at: noon - 7200) == [.answeredStatic, .rateDropped])
    }

    @Test("packets without a reply are not counted")
    func dropped() throws {
        let server = try server(rate: 1, slip: 0)
        let response = Query(flags: 0x8000, name: "static.example.com").bytes
        for _ in 0..<5 { #expect(server.reply(to: response, at: noon).verdict == .dropped) }
        #expect(verdicts(server, 1) == [.answeredStatic])
    }
}
