extension IPAddress: CustomStringConvertible {
    /// Reads a dotted quad (four decimal numbers of 0 to 255, no leading zeros) or an IPv6 address as in RFC 4291,
    /// section 2.2, with or without an embedded IPv4 address. Zone identifiers, prefix lengths and blanks are rejected:
    /// `nil`.
    public init?(_ text: some StringProtocol) {
        // An address has at most 45 characters, so longer texts are not read.
        let text = Array(text.utf8.prefix(64))
        if text.contains(UInt8(ascii: ":")) {
            guard let value = Self.parseV6(text[...]) else { return nil }
            self = .v6(value)
        } else {
            guard let value = Self.parseV4(text[...]) else { return nil }
            self = .v4(value)
        }
    }

    /// The canonical text: a dotted quad, or RFC 5952 (IPv4-mapped addresses in mixed notation, section 5).
    public var description: String {
        switch self {
        case .v4(let value): Self.dottedQuad(value)
        case .v6(let value): Self.canonicalText(value)
        }
    }

    private static func parseV4(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            // A leading zero is rejected, because some readers take it as octal.
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var octet: UInt32 = 0
            for byte in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                octet = octet * 10 + UInt32(byte - UInt8(ascii: "0"))
            }
            guard octet <= 255 else { return nil }
            value = value << 8 | octet
        }
        return value
    }

    private static func parseV6(_ text: ArraySlice<UInt8>) -> UInt128? {
        guard let gap = firstDoubleColon(text) else {
            guard let groups = parseGroups(text), groups.count == 8 else { return nil }
            return join(groups)
        }
        let (left, right) = (text[..<gap], text[(gap + 2)...])
        guard let head = left.isEmpty ? [] : parseGroups(left, mayEndInV4: false),
            let tail = right.isEmpty ? [] : parseGroups(right),
            // "::" replaces at least one group.
            head.count + tail.count <= 7
        else { return nil }
        return join(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    private static func firstDoubleColon(_ text: ArraySlice<UInt8>) -> Int? {
        text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
    }

    private static func join(_ groups: [UInt16]) -> UInt128 { groups.reduce(0) { $0 << 16 | UInt128($1) } }

    /// Groups of one to four hexadecimal digits between colons; the last may be a dotted quad (two groups).
    private static func parseGroups(_ text: ArraySlice<UInt8>, mayEndInV4: Bool = true) -> [UInt16]? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let value = parseV4(part) else { return nil }
                groups += [UInt16(value >> 16), UInt16(truncatingIfNeeded: value)]
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var group: UInt16 = 0
            for byte in part {
                guard let digit = hexDigit(byte) else { return nil }
                group = group << 4 | digit
            }
            groups.append(group)
        }
        return groups
    }

    private static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private static func dottedQuad(_ value: UInt32) -> String {
        "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
    }

    private static func canonicalText(_ value: UInt128) -> String {
        if value >> 32 == 0xFFFF { return "::ffff:" + dottedQuad(UInt32(truncatingIfNeeded: value)) }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: value >> UInt128(112 - 16 * $0)) }
        // RFC 5952, section 4.2: the longest run of two or more zero groups, the first of equals.
        var longest = 0..<0
        var index = 0
        while index < 8 {
            let end = groups[index...].firstIndex { $0 != 0 } ?? 8
            if end - index > max(longest.count, 1) { longest = index..<end }
            index = max(end, index + 1)
        }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        return longest.isEmpty ? text(0..<8) : text(0..<longest.lowerBound) + "::" + text(longest.upperBound..<8)
    }
}
