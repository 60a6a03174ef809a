import DNSWire
import IPNetworks

/// The records of one type in the answer section of a reply, as text: addresses, names with a final dot, and the strings
/// of a TXT record joined.
struct DNSAnswers {
    private(set) var texts: [String] = []

    /// - Parameters:
    ///   - reply: a message with one question.
    ///   - type: A, NS, CNAME, PTR, TXT or AAAA.
    init(_ reply: [UInt8], type: UInt16) {
        var at = MessageHeader.length
        func number(_ offset: Int) -> Int { Int(reply[offset]) << 8 | Int(reply[offset + 1]) }
        guard reply.count >= at, Self.name(at: &at, in: reply) != nil else { return }
        at += 4
        for _ in 0..<number(6) {
            guard Self.name(at: &at, in: reply) != nil, at + 10 <= reply.count else { return }
            let (fields, found, length) = (at, UInt16(number(at)), number(at + 8))
            at += 10 + length
            guard at <= reply.count else { return }
            guard found == type, let text = Self.text(type, fields + 10..<at, reply) else { continue }
            texts.append(text)
        }
    }

    private static func text(_ type: UInt16, _ data: Range<Int>, _ reply: [UInt8]) -> String? {
        switch type {
        case 1, 28: return IPAddress(bytes: Array(reply[data])).map { "\($0)" }
        case 16:
            var (bytes, at): ([UInt8], Int) = ([], data.lowerBound)
            while at < data.upperBound {
                let end = at + 1 + Int(reply[at])
                guard end <= data.upperBound else { return nil }
                bytes += reply[at + 1..<end]
                at = end
            }
            return String(decoding: bytes, as: UTF8.self)
        default:
            var at = data.lowerBound
            return name(at: &at, in: reply).map { "\($0)".lowercased() }
        }
    }

    /// The name at `position`, which moves past it.
    private static func name(at position: inout Int, in reply: [UInt8]) -> DomainName? {
        reply.withUnsafeBytes { DomainName.read(in: $0, at: &position) }
    }
}
