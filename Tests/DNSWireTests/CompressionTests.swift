import DNSWire
import Testing

@Suite("Compression of names")
struct CompressionTests {
    /// A query for a., type TXT.
    private static let query: [UInt8] = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 16, 0, 1]

    private func name(_ text: String) throws -> [UInt8] { try DomainName(text).wire }

    /// A message that has `filling` bytes of TXT in its first record, and then one NS record for each owner, whose host is below
    /// it.
    private func message(filling: Int, owners: [[UInt8]]) throws -> [UInt8] {
        var buffer: [UInt8] = []
        try Self.query.withUnsafeBytes { packet in
            let query = try #require(QueryMessage(packet))
            var writer = MessageWriter(taking: &buffer, limit: 65_535, replyingTo: query, in: packet, edns: nil)
            let text = [UInt8(filling >> 8), UInt8(filling & 255)] + [UInt8](repeating: 0, count: filling)
            let isWritten = text.withUnsafeBytes {
                writer.appendRRset(.question, type: .txt, ttl: 1, data: $0, to: .answer)
            }
            #expect(isWritten)
            for owner in owners {
                let host = [1, 0x68] + owner
                let data = [0, UInt8(host.count)] + host
                let isWritten = owner.withUnsafeBytes { owner in
                    data.withUnsafeBytes {
                        writer.appendRRset(.name(owner), type: .ns, ttl: 1, data: $0, to: .answer)
                    }
                }
                #expect(isWritten)
            }
            writer.finish(into: &buffer)
        }
        return buffer
    }

    /// The name at a place of a message, and where what follows it begins (RFC 1035, section 4.1.4).
    private func read(_ message: [UInt8], at start: Int) -> (name: [UInt8], end: Int) {
        var (name, place, end) = ([UInt8](), start, nil as Int?)
        while message[place] != 0 {
            if message[place] >= 0xC0 {
                end = end ?? place + 2
                place = Int(message[place] & 0x3F) << 8 | Int(message[place + 1])
                continue
            }
            name += message[place...place + Int(message[place])]
            place += 1 + Int(message[place])
        }
        return (name + [0], end ?? place + 1)
    }

    /// Owners and hosts of the NS records.
    private func records(_ message: [UInt8], filling: Int) -> [[[UInt8]]] {
        var (records, place) = ([[[UInt8]]](), Self.query.count + 12 + filling)
        while place < message.count {
            let owner = read(message, at: place)
            let host = read(message, at: owner.end + 10)
            records.append([owner.name, host.name])
            place = host.end
        }
        return records
    }

    @Test(
        "a name beyond the reach of a compression pointer is written out",
        arguments: [0, 100, 20_000, 40_000] + Array(16_320...16_390))
    func lastTarget(filling: Int) throws {
        let owners = try [name("first.test"), name("first.test"), name("second.test"), name("second.test")]
        let message = try message(filling: filling, owners: owners)
        #expect(records(message, filling: filling) == owners.map { [$0, [1, 0x68] + $0] })
    }

    @Test("a name is compressed against the last offset that a pointer can hold, and not against the next")
    func edge() throws {
        // The question and the record's fixed part, 31 bytes, and the filling stand before the first owner.
        let owner = try name("first.test")
        func length(_ start: Int) throws -> Int {
            try message(filling: start - 31, owners: [owner, owner]).count - start
        }
        // The owner or a pointer to it, the fixed part, and the host or what of it stands nowhere yet, of either record.
        #expect(try length(0x3000) == 12 + 10 + 4 + 2 + 10 + 2)
        // The first host begins beyond it: the second points to the owner again.
        #expect(try length(0x3fff) == 12 + 10 + 4 + 2 + 10 + 4)
        #expect(try length(0x4000) == 12 + 10 + 14 + 12 + 10 + 14)
    }
}
