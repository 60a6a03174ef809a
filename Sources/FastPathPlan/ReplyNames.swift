import DNSWire
import Zones

/// Visits the names in a complete message written by this server: owners, and names in RDATA that may be compressed.
struct ReplyNames {
    private let message: UnsafeRawBufferPointer

    /// Calls `body` with each name, in lower case and without compression, until it returns `false`. The second
    /// argument is the type of the record that contains the name in its RDATA, `nil` for owners.
    ///
    /// - Parameter start: offset of the first record.
    /// - Returns: whether `body` always returned `true`. Also `false` if the message is malformed.
    static func allSatisfy(
        in message: [UInt8], from start: Int, count: Int, _ body: ([UInt8], RecordType?) -> Bool
    ) -> Bool {
        message.withUnsafeBytes { bytes in
            let names = ReplyNames(message: bytes)
            var position = start
            for _ in 0..<count {
                guard let owner = names.read(&position), body(owner, nil), position + 10 <= bytes.count else {
                    return false
                }
                let type = RecordType(rawValue: bytes.number(at: position))
                let end = position + 10 + Int(bytes.number(at: position + 8))
                position += 10
                guard end <= bytes.count else { return false }
                if let layout = type.compressibleNames {
                    position += layout.offset
                    for _ in 0..<layout.count where position < end {
                        guard let name = names.read(&position), body(name, type) else { return false }
                    }
                }
                position = end
            }
            return true
        }
    }

    /// The name at `position`, which moves past it; `nil` if there is none.
    private func read(_ position: inout Int) -> [UInt8]? {
        var name: [UInt8] = []
        var place = position
        var isMoved = false
        while place < message.count, name.count < DomainName.maximumLength {
            let length = Int(message[place])
            if length >= 0xC0 {
                guard place + 1 < message.count else { return nil }
                let target = Int(message.number(at: place)) & 0x3FFF
                if !isMoved { position = place + 2 }
                // Pointers lead backwards, so the loop ends.
                guard target < place else { return nil }
                (place, isMoved) = (target, true)
                continue
            }
            guard place + 1 + length <= message.count else { return nil }
            name += message[place...place + length].map(DomainName.lowercased)
            place += 1 + length
            guard length == 0 else { continue }
            if !isMoved { position = place }
            return name
        }
        return nil
    }
}
