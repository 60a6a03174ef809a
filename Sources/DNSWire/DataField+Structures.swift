/// Fields with internal structure: one byte determines the form of the following ones.
extension DataField {
    /// The gateway or relay in RDATA (RFC 4025, section 2.3; RFC 8777, section 4.2.3).
    package enum Gateway: UInt8 {
        case none, ipv4, ipv6, name

        /// Bytes from `start` on.
        func length(in data: UnsafeRawBufferPointer, at start: Int) -> Int? {
            switch self {
            case .none: 0
            case .ipv4: DataField.ipv4.length(in: data, at: start)
            case .ipv6: DataField.ipv6.length(in: data, at: start)
            case .name: DataField.name.length(in: data, at: start)
            }
        }
    }

    /// A key is present unless the algorithm is 0 (RFC 4025, section 2.4).
    static func isGatewayAndKey(_ data: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start + 2 <= data.count, let length = Gateway(rawValue: data[start])?.length(in: data, at: start + 2)
        else { return false }
        return (data[start + 1] == 0) == (start + 2 + length == data.count)
    }

    /// The highest bit is the discovery flag; the others are the type (RFC 8777, section 4.2.2).
    static func isRelay(_ data: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start < data.count else { return false }
        return Gateway(rawValue: data[start] & 0x7F)?.length(in: data, at: start + 1) == data.count - start - 1
    }

    /// The lengths of HIT and key, an algorithm, the HIT, the key, and names of rendezvous servers (RFC 8005, section
    /// 5).
    static func isHostIdentity(_ data: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start + 4 <= data.count else { return false }
        let (tag, key) = (Int(data[start]), Int(data[start + 2]) << 8 | Int(data[start + 3]))
        var position = start + 4 + tag + key
        guard tag > 0, key > 0, position <= data.count else { return false }
        while position < data.count {
            guard let length = DomainName.wireLength(in: data, at: position) else { return false }
            position += length
        }
        return true
    }

    /// For each prefix, its family, length, and address without trailing zeros (RFC 3123, section 4).
    static func arePrefixes(_ data: Slice<UnsafeRawBufferPointer>) -> Bool {
        var position = data.startIndex
        while position < data.endIndex {
            guard position + 4 <= data.endIndex, data[position] == 0, let size = addressSize(data[position + 1]),
                Int(data[position + 2]) <= size * 8
            else { return false }
            let length = Int(data[position + 3] & 0x7F)
            position += 4 + length
            guard length <= size, position <= data.endIndex, length == 0 || data[position - 1] != 0 else {
                return false
            }
        }
        return true
    }

    /// Bytes of a full address of a family: 1 is IPv4, 2 is IPv6.
    private static func addressSize(_ family: UInt8) -> Int? { family == 1 ? 4 : family == 2 ? 16 : nil }
}
