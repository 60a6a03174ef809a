import DNSWire
import IPNetworks
import Testing

@Suite("Queries")
struct QueryMessageTests {
    /// id 0x1234, RD, one question and one additional record
    private static let header: [UInt8] = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]
    /// wWw.example.com A IN
    private static let question: [UInt8] =
        [3, 0x77, 0x57, 0x77, 7] + Array("example".utf8) + [3] + Array("com".utf8) + [0, 0, 1, 0, 1]

    private static func read(_ packet: [UInt8]) -> QueryMessage? { packet.withUnsafeBytes { QueryMessage($0) } }

    @Test("header, question and EDNS are read where they stand")
    func whole() throws {
        // OPT: payload 4096, version 0, DO; options: cookie of 8 bytes, client subnet 2001:db8::/33
        let options: [UInt8] = [
            0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 8, 0, 9, 0, 2, 33, 0, 0x20, 1, 0x0D, 0xB8, 0x80,
        ]
        let packet = Self.header + Self.question + [0, 0, 41, 16, 0, 0, 0, 0x80, 0, 0, UInt8(options.count)] + options
        let query = try #require(Self.read(packet))
        #expect(!query.formatError && query.header.id == 0x1234 && query.header.recursionDesired)
        let question = try #require(query.question)
        #expect(packet[question.nameRange].elementsEqual(try DomainName("wWw.example.com").wire))
        #expect(question.type == .a && question.recordClass == .in && question.range == 12..<33)
        let edns = try #require(query.edns)
        #expect(edns.payloadSize == 4096 && edns.dnssecOK && edns.version == 0)
        #expect(packet[edns.optionsRange].elementsEqual(options))
        #expect(edns.clientSubnet?.prefix == IPPrefix("2001:db8:8000::/33"))
        #expect(edns.clientSubnet?.addressByteCount == 5)
    }

    @Test("records other than OPT are skipped, also with compressed owners")
    func otherRecords() throws {
        var packet = Self.header + Self.question
        packet += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4] + [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]
        packet[11] = 2
        let query = try #require(Self.read(packet))
        #expect(!query.formatError && query.edns?.payloadSize == 1232)
    }

    @Test("an OPT record below the root is a format error")
    func ownedOPT() throws {
        let packet = Self.header + Self.question + [0xC0, 12, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]
        #expect(try #require(Self.read(packet)).formatError)
    }

    @Test("no prefix of a packet is read beyond its end")
    func prefixes() {
        let packet = Self.header + Self.question + [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 4, 0, 10, 0, 0]
        for length in 0...packet.count {
            let query = Self.read(Array(packet.prefix(length)))
            #expect((query == nil) == (length < 12))
            if let query { #expect(query.formatError == (length < packet.count)) }
        }
    }
}
