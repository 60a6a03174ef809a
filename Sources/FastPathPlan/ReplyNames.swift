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

    /// The name at `position` in lower case. `position` moves past it. `nil` if there is none.
    private func read(_ position: inout Int) -> [UInt8]? {
        guard var name = DomainName.readWire(in: message, at: &position) else { return nil }
        for index in name.indices { name[index] = DomainName.lowercased(name[index]) }
        return name
    }
}
