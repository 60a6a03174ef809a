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
        var at = 12
        func number(_ offset: Int) -> Int { Int(reply[offset]) << 8 | Int(reply[offset + 1]) }
        guard reply.count >= 12, let name = Self.end(of: at, in: reply) else { return }
        at = name + 4
        for _ in 0..<number(6) {
            guard let fields = Self.end(of: at, in: reply), fields + 10 <= reply.count else { return }
            let (found, length) = (UInt16(number(fields)), number(fields + 8))
            at = fields + 10 + length
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
            guard let wire = wire(at: data.lowerBound, in: reply), let name = DomainName(wire: wire) else {
                return nil
            }
            return "\(name)".lowercased()
        }
    }

    /// Where a name ends. `nil`: it does not end in the message.
    private static func end(of start: Int, in reply: [UInt8]) -> Int? {
        var at = start
        while at < reply.count {
            let length = Int(reply[at])
            if length >= 0xc0 { return at + 2 }
            if length == 0 { return at + 1 }
            at += 1 + length
        }
        return nil
    }

    /// A name without compression. Pointers lead backwards only (RFC 1035, section 4.1.4), so this ends.
    private static func wire(at start: Int, in reply: [UInt8]) -> [UInt8]? {
        var (wire, at, limit): ([UInt8], Int, Int) = ([], start, start + 1)
        while at < reply.count, wire.count < 256 {
            let length = Int(reply[at])
            if length >= 0xc0 {
                guard at + 1 < reply.count else { return nil }
                let target = (length & 0x3f) << 8 | Int(reply[at + 1])
                guard target < limit else { return nil }
                (at, limit) = (target, target)
                continue
            }
            guard at + 1 + length <= reply.count else { return nil }
            wire += reply[at..<at + 1 + length]
            if length == 0 { return wire }
            at += 1 + length
        }
        return nil
    }
}
