import IPNetworks

extension FieldReader {
    mutating func ipv4Address() throws(ZoneFileError) {
        guard !isAtEnd, let value = dottedQuad(tokens[index].range) else {
            throw notAnAddress("an IPv4 address, like 192.0.2.1")
        }
        append(value)
        index += 1
    }

    mutating func ipv6Address() throws(ZoneFileError) {
        guard !isAtEnd, let value = groups(tokens[index].range) else {
            throw notAnAddress("an IPv6 address, like 2001:db8::1")
        }
        append(value)
        index += 1
    }

    private func notAnAddress(_ example: String) -> ZoneFileError {
        isAtEnd
            ? error("the address is missing; add \(example)")
            : error("\(shownWord) is not an address of this type; write \(example)")
    }

    /// Four decimal numbers of 0 to 255 without leading zeros, as in `IPAddress`, but parsed without allocating a
    /// `String`.
    func dottedQuad(_ range: Range<Int>) -> UInt32? {
        var (value, octet, digits, dots): (UInt32, UInt32, Int, Int) = (0, 0, 0, 0)
        for position in range {
            let byte = text[position]
            if byte == UInt8(ascii: ".") {
                guard digits > 0, dots < 3 else { return nil }
                (value, octet, digits, dots) = (value << 8 | octet, 0, 0, dots + 1)
            } else {
                guard Self.isDigit(byte), !(digits > 0 && octet == 0) else { return nil }
                (octet, digits) = (octet * 10 + UInt32(byte - 0x30), digits + 1)
                guard octet <= 255 else { return nil }
            }
        }
        return digits > 0 && dots == 3 ? value << 8 | octet : nil
    }

    /// Groups of hexadecimal digits between colons, also without a `String`. A dotted quad at the end is left to
    /// `IPAddress`.
    func groups(_ range: Range<Int>) -> UInt128? {
        // `head` is the part before "::"; `tail` is the part after it, or the whole address.
        var (head, tail, headCount, tailCount) = (UInt128(0), UInt128(0), 0, 0)
        var (sawGap, position) = (false, range.lowerBound)
        guard range.count >= 2 else { return nil }
        while position < range.upperBound {
            if text[position] == UInt8(ascii: ":") {
                let isGap = position + 1 < range.upperBound && text[position + 1] == UInt8(ascii: ":")
                if isGap {
                    guard !sawGap else { return nil }
                    (sawGap, head, headCount, tail, tailCount) = (true, tail, tailCount, 0, 0)
                    position += 2
                    continue
                }
                // A single colon separates two groups.
                guard tailCount > 0, position + 1 < range.upperBound else { return nil }
                position += 1
            }
            var (group, digits) = (UInt128(0), 0)
            while position < range.upperBound, let digit = Self.hexDigit(text[position]) {
                (group, digits, position) = (group << 4 | UInt128(digit), digits + 1, position + 1)
            }
            if position < range.upperBound, text[position] == UInt8(ascii: ".") { return mixedNotation(range) }
            guard (1...4).contains(digits), headCount + tailCount < 8 else { return nil }
            if position < range.upperBound, text[position] != UInt8(ascii: ":") { return nil }
            (tail, tailCount) = (tail << 16 | group, tailCount + 1)
        }
        // "::" replaces at least one group.
        guard sawGap ? headCount + tailCount <= 7 : tailCount == 8 else { return nil }
        return (headCount == 0 ? 0 : head << UInt128(128 - 16 * headCount)) | tail
    }

    private func mixedNotation(_ range: Range<Int>) -> UInt128? {
        guard case .v6(let value) = IPAddress(String(decoding: text[range], as: UTF8.self)) else { return nil }
        return value
    }
}
