import DNSWire
import Testing

@Suite("Names in the data of replies")
struct MessageWriterTests {
    /// The question asks for example.com, so that a pointer to it is `c00c`.
    private static let name: [UInt8] = [7] + Array("example".utf8) + [3] + Array("com".utf8) + [0]
    private static let query: [UInt8] = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 255, 0, 1]

    /// The RDATA of the only answer to `query`.
    private static func written(_ type: RecordType, _ data: [UInt8]) -> [UInt8]? {
        query.withUnsafeBytes { packet in
            guard let query = QueryMessage(packet) else { return nil }
            var reply: [UInt8] = []
            var writer = MessageWriter(taking: &reply, limit: 512, replyingTo: query, in: packet, edns: nil)
            let rrset = [UInt8(data.count >> 8), UInt8(data.count & 255)] + data
            guard
                rrset.withUnsafeBytes({
                    writer.appendRRset(.question, type: type, ttl: 60, data: $0, to: .answer)
                })
            else {
                writer.discard(into: &reply)
                return nil
            }
            writer.finish(into: &reply)
            // Behind the question stand a pointer, type, class, TTL and the length.
            return Array(reply[(packet.count + 12)...])
        }
    }

    @Test(
        "names are compressed in the types of RFC 1035",
        arguments: [
            (RecordType.ns, [], 1), (.md, [], 1), (.mf, [], 1), (.cname, [], 1), (.mb, [], 1), (.mg, [], 1),
            (.mr, [], 1), (.ptr, [], 1), (.minfo, [], 2), (.mx, [0, 10], 1),
        ] as [(RecordType, [UInt8], Int)])
    func compressed(type: RecordType, head: [UInt8], count: Int) {
        let names = (0..<count).flatMap { _ in Self.name }
        let pointers = (0..<count).flatMap { _ in [0xC0, 0x0C] as [UInt8] }
        #expect(Self.written(type, head + names) == head + pointers)
    }

    @Test(
        "names are written out in every later type (RFC 3597, section 4)",
        arguments: [
            (RecordType.rp, [], 2), (.afsdb, [0, 1], 1), (.rt, [0, 1], 1), (.nsapPtr, [], 1), (.px, [0, 1], 2),
            (.nxt, [], 1), (.srv, [0, 1, 0, 1, 0, 1], 1), (.kx, [0, 1], 1), (.dname, [], 1), (.lp, [0, 1], 1),
            (.talink, [], 2), (.ipseckey, [10, 3, 0], 1), (.amtrelay, [10, 3], 1),
            (.hip, [1, 2, 0, 1, 0xAB, 0xCD], 2), (.dsync, [0, 59, 1, 0, 53], 1), (.https, [0, 1], 1),
        ] as [(RecordType, [UInt8], Int)])
    func writtenOut(type: RecordType, head: [UInt8], count: Int) {
        let data = head + (0..<count).flatMap { _ in Self.name }
        #expect(type.isWellFormed(data))
        #expect(Self.written(type, data) == data)
    }
}
