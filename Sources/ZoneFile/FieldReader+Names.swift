import DNSWire

extension FieldReader {
    /// A domain name. A relative name is completed with the origin; "@" is the origin.
    mutating func name(_ what: String) throws(ZoneFileError) {
        let token = try token(what)
        let start = output.count
        if !token.isQuoted, token.end - token.start == 1, text[token.start] == UInt8(ascii: "@") {
            output.append(contentsOf: origin.wire)
        } else {
            do throws(DomainNameError) {
                try Self.appendName(text, token.range, relativeTo: origin, to: &output)
            } catch {
                output.removeSubrange(start...)
                throw self.error("\(what) is not a domain name: \(error)")
            }
        }
        index += 1
    }

    /// Appends the wire form of the name written in `range` of `text` to `output`.
    private static func appendName(
        _ text: [UInt8], _ range: Range<Int>, relativeTo origin: DomainName, to output: inout [UInt8]
    ) throws(DomainNameError) {
        guard !range.isEmpty else { throw .empty }
        let start = output.count
        var labelStart = start
        output.append(0)
        if range.count == 1, text[range.lowerBound] == UInt8(ascii: ".") { return }
        var position = range.lowerBound
        var endedByDot = false
        while position < range.upperBound {
            var byte = text[position]
            position += 1
            endedByDot = byte == UInt8(ascii: ".")
            if endedByDot {
                guard try closeLabel(&output, labelStart) else { throw .emptyLabel }
                labelStart = output.count
                output.append(0)
                continue
            }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = escapedByte(text, &position, below: range.upperBound) else { throw .badEscape }
                byte = escaped
            }
            output.append(byte)
            guard output.count - start < DomainName.maximumLength else { throw .nameTooLong }
        }
        guard !endedByDot else { return }
        _ = try closeLabel(&output, labelStart)
        guard output.count - start + origin.wire.count <= DomainName.maximumLength else { throw .nameTooLong }
        output.append(contentsOf: origin.wire)
    }

    /// Sets the length byte of the label that began at `start`; `false` if the label is empty.
    private static func closeLabel(_ output: inout [UInt8], _ start: Int) throws(DomainNameError) -> Bool {
        let length = output.count - start - 1
        guard length <= DomainName.maximumLabelLength else { throw .labelTooLong }
        output[start] = UInt8(length)
        return length > 0
    }

    /// The character after a backslash: `\DDD` in decimal, or the next byte itself (RFC 1035, section 5.1); `nil` if it
    /// is invalid. Moves `position` past it.
    static func escapedByte(_ text: [UInt8], _ position: inout Int, below end: Int) -> UInt8? {
        guard position < end else { return nil }
        guard isDigit(text[position]) else {
            defer { position += 1 }
            return text[position]
        }
        guard position + 3 <= end else { return nil }
        var value = 0
        for byte in text[position..<position + 3] {
            guard isDigit(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += 3
        return UInt8(exactly: value)
    }
}
