import DNSWire
import Testing

@Suite("Options of a query")
struct EDNSTests {
    /// A query for the root's A, or without a question, with these options.
    private func read(_ options: [UInt8], hasQuestion: Bool = true, version: UInt8 = 0) throws -> QueryMessage {
        let header: [UInt8] = [0x12, 0x34, 0, 0, 0, hasQuestion ? 1 : 0, 0, 0, 0, 0, 0, 1]
        let opt: [UInt8] = [0, 0, 41, 4, 208, 0, version, 0, 0, 0, UInt8(options.count)]
        let packet = header + (hasQuestion ? [0, 0, 1, 0, 1] : []) + opt + options
        return try #require(packet.withUnsafeBytes { QueryMessage($0) })
    }

    @Test("flags name the options of the query, in any order")
    func flags() throws {
        let none = try #require(try read([0xff, 0xee, 0, 1, 9]).edns)
        #expect(!none.asksForNSID && !none.asksForKeepalive && !none.isPadded && none.cookie == nil)
        let all = try #require(try read([0, 3, 0, 0, 0, 12, 0, 2, 0, 0, 0xff, 0xee, 0, 0, 0, 11, 0, 0]).edns)
        #expect(all.asksForNSID && all.asksForKeepalive && all.isPadded)
    }

    @Test(
        "a cookie has 8 bytes, or 16 to 40; 24 bytes have the interoperable form",
        arguments: [
            (8, true, false), (16, true, true), (24, true, true), (40, true, true), (41, false, false),
            (12, false, false),
        ])
    func cookie(length: Int, isWellFormed: Bool, hasServer: Bool) throws {
        let query = try read([0, 10, 0, UInt8(length)] + (1...UInt8(length)))
        let edns = try #require(query.edns)
        #expect(!query.formatError && edns.hasMalformedCookie == !isWellFormed)
        #expect(edns.cookie?.client == (isWellFormed ? 0x0102_0304_0506_0708 : nil))
        #expect(edns.cookie?.hasServer == (isWellFormed ? hasServer : nil))
        let server = DNSCookie.Server(head: 0x090a_0b0c_0d0e_0f10, hash: 0x1112_1314_1516_1718)
        #expect(edns.cookie?.server == (length == 24 ? server : nil))
        #expect(server.version == 9 && server.timestamp == 0x0d0e_0f10)
    }

    @Test("only a well-formed cookie makes up for a missing question")
    func withoutQuestion() throws {
        let cookie: [UInt8] = [0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try !read(cookie, hasQuestion: false).formatError)
        #expect(try read(cookie, hasQuestion: false, version: 1).formatError)
        #expect(try read([0, 10, 0, 1, 1], hasQuestion: false).formatError)
        #expect(try read([0, 3, 0, 0], hasQuestion: false).formatError)
    }

    @Test("options of other versions are not read")
    func otherVersion() throws {
        let query = try read([0, 3, 0, 9], version: 1)
        #expect(!query.formatError && query.edns?.asksForNSID == false)
    }
}
