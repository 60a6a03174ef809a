import DNSWire
import IPNetworks
import Resolution
import Testing

private func secret(_ text: String) -> CookieSecret {
    guard let secret = CookieSecret(hex(text)) else { preconditionFailure(text) }
    return secret
}

private func server(_ secrets: String..., required: Bool = false) throws -> TestServer {
    let keys = CookieKeys(secrets: secrets.map(secret), isRequired: required)
    return try TestServer(settings: ProtocolSettings(cookies: keys))
}

private func cookie(_ text: String) -> [UInt8] {
    [0, 10] + UInt16(hex(text).count).networkBytes + hex(text)
}

private func query(_ option: [UInt8]) -> [UInt8] { Query(name: "static.example.com").with(options: option).bytes }

/// A query of a header and OPT only.
private func bareQuery(_ option: [UInt8]) -> [UInt8] {
    hex("1234 0000 0000 0000 0000 0001 00 0029 04d0 00000000") + UInt16(option.count).networkBytes + option
}

private let first = "e5e973e5a6b2a43f48e7dc849e37bfcf"
private let issued: UInt32 = 1_559_731_985
/// RFC 9018, appendix A.1.
private let good = "2464c4abcf10c957 010000005cf79f11 1f8130c3eee29480"
private let owner = "198.51.100.100"

@Suite("DNS cookies")
struct CookieTests {
    /// A.3's own cookie is older than an hour when its reply is made: it is replaced, as there.
    @Test(
        "the examples of RFC 9018, appendix A, come out byte for byte",
        arguments: [
            (
                "A.1", [first], owner, "2464c4abcf10c957", 1_559_731_985,
                "2464c4abcf10c957010000005cf79f111f8130c3eee29480"
            ),
            ("A.2", [first], owner, good, 1_559_734_385, "2464c4abcf10c957010000005cf7a871d4a564a1442aca77"),
            (
                "A.3", [first], "203.0.113.203", "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5", 1_559_734_700,
                "fc93fc62807ddb86010000005cf7a9acf73a7810aca2381e"
            ),
            (
                "A.4", ["445536bcd2513298075a5d379663c962", "dd3bdf9344b678b185a6f5cb60fca715"],
                "2001:db8:220:1:59de:d0f4:8769:82b8", "22681ab97d52c298010000005cf7c57926556bd0934c72f8", 1_559_741_961,
                "22681ab97d52c298010000005cf7c609a6bb79d16625507a"
            ),
        ] as [(String, [String], String, String, UInt32, String)])
    func examples(_ label: String, secrets: [String], client: String, sent: String, at: UInt32, back: String) throws {
        let keys = CookieKeys(secrets: secrets.map(secret))
        let server = try TestServer(settings: ProtocolSettings(cookies: keys))
        let reply = server.reply(to: query(cookie(sent)), from: client, at: at)
        #expect(reply.option(10) == hex(back), "\(label)")
        #expect(reply.code == 0 && reply.answer.count == 2)
    }

    /// Reserved bytes are hashed as they came (RFC 9018, section 4.2): A.3's cookie when it was made.
    @Test("a cookie with reserved bytes is valid, as its hash covers them")
    func reservedBytes() throws {
        let sent = hex("fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5")
        let reply = try server(first, required: true)
            .reply(to: query([0, 10, 0, 24] + sent), from: "203.0.113.203", at: 0x5cf7_8f71)
        #expect(reply.code == 0 && reply.option(10) == sent)
    }

    @Test(
        "a cookie is valid from five minutes before its time to an hour after, and renewed from half an hour on",
        arguments: [
            (-301, false, false), (-300, true, true), (0, true, true), (1799, true, true), (1800, true, false),
            (3600, true, false), (3601, false, false), (1 << 31, false, false),
        ] as [(Int64, Bool, Bool)])
    func window(age: Int64, isValid: Bool, isKept: Bool) throws {
        let now = UInt32(truncatingIfNeeded: Int64(issued) + age)
        let reply = try server(first, required: true).reply(to: query(cookie(good)), from: owner, at: now)
        #expect((reply.code == 0) == isValid && (reply.code == 23) == !isValid)
        #expect((reply.option(10) == hex(good)) == isKept)
        #expect(reply.option(10)?[12..<16].elementsEqual(hex(String(isKept ? issued : now, radix: 16).padded)) == true)
    }

    @Test("time may wrap around between the creation and the check of a cookie")
    func wrap() throws {
        let server = try server(first, required: true)
        let made = server.reply(to: bareQuery(cookie("2464c4abcf10c957")), from: owner, at: 0xffff_ff00)
        let reply = server.reply(to: query([0, 10, 0, 24] + (made.option(10) ?? [])), from: owner, at: 0x0000_0100)
        #expect(reply.code == 0 && reply.option(10) == made.option(10))
    }

    @Test(
        "one bit changed anywhere, another address, or another secret make a cookie invalid",
        arguments: Array(0..<24))
    func forged(byte: Int) throws {
        var bytes = hex(good)
        bytes[byte] ^= 1
        let server = try server(first, required: true)
        #expect(server.reply(to: query([0, 10, 0, 24] + bytes), from: owner, at: issued).verdict == .badCookie)
        #expect(server.reply(to: query(cookie(good)), from: "198.51.100.101", at: issued).verdict == .badCookie)
        let other = try CookieTests.other
        #expect(other.reply(to: query(cookie(good)), from: owner, at: issued).verdict == .badCookie)
    }
    private static var other: TestServer {
        get throws { try server("dd3bdf9344b678b185a6f5cb60fca715", required: true) }
    }

    @Test("every secret verifies and the first one signs, so a cookie of a later secret is valid and renewed")
    func rotation() throws {
        let before = try server(first, "00112233445566778899aabbccddeeff", required: true)
        let after = try server("00112233445566778899aabbccddeeff", first, required: true)
        let old = before.reply(to: query(cookie("2464c4abcf10c957")), from: owner, at: issued).option(10) ?? []
        let answered = after.reply(to: query([0, 10, 0, 24] + old), from: owner, at: issued)
        let new = answered.option(10) ?? []
        #expect(answered.code == 0 && new != old)
        #expect(before.reply(to: query([0, 10, 0, 24] + new), from: owner, at: issued).code == 0)
    }

    @Test("if cookies are not required, every well-formed cookie gets a reply with a valid server cookie")
    func lenient() throws {
        let server = try server(first)
        for sent in ["2464c4abcf10c957", good + "00", "2464c4abcf10c957 0102030405060708"] {
            let reply = server.reply(to: query(cookie(sent)), from: owner, at: issued)
            #expect(reply.code == 0 && reply.answer.count == 2 && reply.option(10) == hex(good))
        }
        #expect(server.reply(to: query([]), from: owner, at: issued).option(10) == nil)
    }

    @Test("BADCOOKIE is sent for foreign cookies over UDP, not for queries without one, nor over TCP")
    func required() throws {
        let server = try server(first, required: true)
        let reply = server.reply(to: query(cookie("2464c4abcf10c957")), from: owner, at: issued)
        #expect(reply.verdict == .badCookie && reply.code == 23 && reply.answer.isEmpty && !reply.isAuthoritative)
        #expect(reply.option(10) == hex(good) && reply.bytes[5] == 1)
        #expect(server.reply(to: query(cookie("2464c4abcf10c957")), from: owner, over: .tcp, at: issued).code == 0)
        #expect(server.reply(to: query([]), from: owner, at: issued).code == 0)
        #expect(server.reply(to: Query(name: "static.example.com").bytes, from: owner, at: issued).code == 0)
    }

    @Test("lengths other than 8 and 16 to 40 are format errors", arguments: [0, 7, 9, 15, 41, 60])
    func malformed(length: Int) throws {
        let option = [0, 10, 0, UInt8(length)] + Array(repeating: 7, count: length)
        let reply = try server(first).reply(to: query(option), from: owner, at: issued)
        #expect(reply.verdict == .formErr && reply.code == 1 && reply.opt?.data == [])
        #expect(try TestServer().reply(to: query(option)).code == 0, "without cookies it is an unknown option")
    }

    @Test("only the first of several cookies counts (RFC 7873, section 5.2)")
    func several() throws {
        let server = try server(first, required: true)
        #expect(server.reply(to: query(cookie(good) + cookie("0102")), from: owner, at: issued).code == 0)
        #expect(server.reply(to: query(cookie("0102") + cookie(good)), from: owner, at: issued).code == 1)
    }

    @Test("a query without a question gets a cookie or BADCOOKIE (RFC 7873, section 5.4)")
    func withoutQuestion() throws {
        let server = try server(first)
        let fresh = server.reply(to: bareQuery(cookie("2464c4abcf10c957")), from: owner, at: issued)
        #expect(fresh.verdict == .cookieSent && fresh.code == 0 && fresh.bytes[5] == 0)
        #expect(fresh.option(10) == hex(good) && fresh.bytes.count == 12 + 11 + 4 + 24)
        #expect(server.reply(to: bareQuery(cookie(good)), from: owner, at: issued).verdict == .cookieSent)
        let bad = server.reply(to: bareQuery(cookie(good)), from: owner, at: issued + 4000)
        #expect(bad.verdict == .badCookie && bad.code == 23)
        #expect(server.reply(to: bareQuery([]), from: owner).code == 1)
        #expect(try TestServer().reply(to: bareQuery(cookie(good)), from: owner).code == 1)
    }
}

extension String {
    /// Eight digits.
    fileprivate var padded: String { String(repeating: "0", count: 8 - count) + self }
}
