/// Fields of historic types.
extension DataField {
    /// A sign, digits, and optionally a dot with digits after it, from −`limit` to `limit` (RFC 1712, section 3).
    static func isDecimal(_ text: Slice<UnsafeRawBufferPointer>, upTo limit: UInt8?) -> Bool {
        let signed = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
        let parts = signed.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.allSatisfy({ $0.allSatisfy(isDigit) }) else {
            return false
        }
        guard let limit = limit.map(Int.init) else { return true }
        // Above the limit, the value stops growing: 255 digits would overflow.
        let value = whole.reduce(0) { min($0 * 10 + Int($1 - 0x30), limit + 1) }
        let hasFraction = parts.count > 1 && parts[1].contains { $0 != 0x30 }
        return value < limit || value == limit && !hasFraction
    }

    /// Format 0: bytes; format 1: the digits of an E.164 number (AF-DANS-0152.000).
    static func isATMAddress(_ data: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let format = data.first, data.count > 1 else { return false }
        return format == 0 || format == 1 && data.dropFirst().allSatisfy(isDigit)
    }

    /// Types 1 to 127 without trailing zeros. The bit of type 0 is reserved for another format (RFC 2535, section 5.2).
    static func isOldTypeBitmap(_ data: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = data.first, let last = data.last else { return true }
        return data.count <= 16 && first & 0x80 == 0 && last != 0
    }
}
