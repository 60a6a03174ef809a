extension DataField {
    /// How many bytes this field takes in the RDATA `data` from `start` on; `nil` if it is truncated or malformed.
    ///
    /// - Parameter start: In `0...data.count`.
    public func length(in data: UnsafeRawBufferPointer, at start: Int) -> Int? {
        let left = data.count - start
        switch self {
        case .name: return start < data.count ? DomainName.wireLength(in: data, at: start) : nil
        case .uint8, .algorithm, .scheme, .ipProtocol: return left >= 1 ? 1 : nil
        case .uint16, .type, .certificateKind: return left >= 2 ? 2 : nil
        case .uint32, .time, .timestamp, .ipv4: return left >= 4 ? 4 : nil
        case .ipv6: return left >= 16 ? 16 : nil
        case .eui48: return left >= 6 ? 6 : nil
        case .eui64, .locator: return left >= 8 ? 8 : nil
        case .string, .salt: return Self.string(in: data, at: start)
        case .optionalString: return left == 0 ? 0 : Self.string(in: data, at: start)
        case .hash: return Self.string(in: data, at: start).flatMap { $0 > 1 ? $0 : nil }
        case .tag: return Self.string(in: data, at: start) { !$0.isEmpty && $0.allSatisfy(Self.isLetterOrDigit) }
        case .digits: return Self.string(in: data, at: start) { $0.count >= 4 && $0.allSatisfy(Self.isDigit) }
        case .decimal(let limit): return Self.string(in: data, at: start) { Self.isDecimal($0, upTo: limit) }
        case .strings:
            var position = start
            repeat {
                guard let length = Self.string(in: data, at: position) else { return nil }
                position += length
            } while position < data.count
            return left
        case .text(let mayBeEmpty): return mayBeEmpty || left > 0 ? left : nil
        case .hex, .base64, .nsap: return left > 0 ? left : nil
        case .optionalBase64: return left
        case .atmAddress: return Self.isATMAddress(data[start...]) ? left : nil
        case .typeBitmap: return Self.isTypeBitmap(data[start...]) ? left : nil
        case .oldTypeBitmap: return Self.isOldTypeBitmap(data[start...]) ? left : nil
        case .portBitmap: return left <= 8192 && (left == 0 || data[data.count - 1] != 0) ? left : nil
        case .location: return Self.isLocation(data[start...]) ? 16 : nil
        case .prefixes: return Self.arePrefixes(data[start...]) ? left : nil
        case .gatewayAndKey: return Self.isGatewayAndKey(data, at: start) ? left : nil
        case .relay: return Self.isRelay(data, at: start) ? left : nil
        case .hostIdentity: return Self.isHostIdentity(data, at: start) ? left : nil
        case .serviceParameters: return Self.areServiceParameters(data[start...]) ? left : nil
        }
    }

    private static func string(in data: UnsafeRawBufferPointer, at start: Int) -> Int? {
        guard start < data.count else { return nil }
        let length = 1 + Int(data[start])
        return start + length <= data.count ? length : nil
    }

    /// The length of a character string whose bytes satisfy `accepts`.
    private static func string(
        in data: UnsafeRawBufferPointer, at start: Int, _ accepts: (Slice<UnsafeRawBufferPointer>) -> Bool
    ) -> Int? {
        string(in: data, at: start).flatMap { accepts(data[(start + 1)..<(start + $0)]) ? $0 : nil }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(DomainName.lowercased(byte))
    }

    /// Windows ascend, have 1 to 32 bytes, and do not end in zeros.
    private static func isTypeBitmap(_ data: Slice<UnsafeRawBufferPointer>) -> Bool {
        var (position, lastWindow) = (data.startIndex, -1)
        while position < data.endIndex {
            guard position + 2 <= data.endIndex else { return false }
            let (window, length) = (Int(data[position]), Int(data[position + 1]))
            let end = position + 2 + length
            guard window > lastWindow, (1...32).contains(length), end <= data.endIndex, data[end - 1] != 0 else {
                return false
            }
            (position, lastWindow) = (end, window)
        }
        return true
    }

    /// Version 0, precisions of two decimal digits, angles on the globe (RFC 1876, section 2).
    private static func isLocation(_ data: Slice<UnsafeRawBufferPointer>) -> Bool {
        let start = data.startIndex
        guard data.count >= 16, data[start] == 0 else { return false }
        let precisions = data[(start + 1)..<(start + 4)].allSatisfy { $0 >> 4 <= 9 && $0 & 15 <= 9 }
        func angle(_ place: Int) -> Int { data[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } - 1 << 31 }
        return precisions && abs(angle(start + 4)) <= 90 * 3_600_000 && abs(angle(start + 8)) <= 180 * 3_600_000
    }

    /// Keys ascend, and values are valid for their keys.
    private static func areServiceParameters(_ data: Slice<UnsafeRawBufferPointer>) -> Bool {
        var (position, lastKey) = (data.startIndex, -1)
        while position < data.endIndex {
            guard position + 4 <= data.endIndex else { return false }
            let key = UInt16(data[position]) << 8 | UInt16(data[position + 1])
            let end = position + 4 + (Int(data[position + 2]) << 8 | Int(data[position + 3]))
            guard key > lastKey, end <= data.endIndex,
                ServiceKey(rawValue: key).accepts(data[(position + 4)..<end])
            else { return false }
            (position, lastKey) = (end, Int(key))
        }
        return true
    }
}
