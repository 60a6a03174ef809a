import DNSWire

extension FieldReader {
    /// Appends a word's bytes with escapes resolved; at most `maximum` bytes.
    mutating func bytes(_ what: String, upTo maximum: Int) throws(ZoneFileError) {
        let token = try token(what)
        let start = output.count
        var position = token.start
        while position < token.end {
            var byte = text[position]
            position += 1
            if byte == UInt8(ascii: "\\") {
                guard let escaped = Self.escapedByte(text, &position, below: token.end) else {
                    throw error("\(what) has a bad escape; write a backslash and three digits of at most 255")
                }
                byte = escaped
            }
            output.append(byte)
        }
        guard output.count - start <= maximum else {
            throw error(
                "\(what) has \(output.count - start) bytes, and at most \(maximum) fit; split it into several strings")
        }
        index += 1
    }

    /// One character string: a length byte, then that many bytes (RFC 1035, section 3.3).
    mutating func string(_ what: String) throws(ZoneFileError) {
        let place = output.count
        output.append(0)
        try bytes(what, upTo: 255)
        output[place] = UInt8(output.count - place - 1)
    }

    /// One or more character strings, to the end of the record (RFC 1035, section 3.3.14).
    mutating func strings(_ what: String) throws(ZoneFileError) {
        repeat { try string(what) } while !isAtEnd
    }

    /// A character string that must be a valid `field`; `expected` describes it in messages.
    mutating func string(_ what: String, of field: DataField, _ expected: String) throws(ZoneFileError) {
        let (word, start) = (try token(what), output.count)
        try string(what)
        guard output.withUnsafeBytes({ field.length(in: $0, at: start) }) != nil else {
            throw error("\(what) is not \(expected); correct it", at: word)
        }
    }
}
