import DNSWire

/// Takes an entry's words one after the other, as the fields they are expected to be. Errors name the word at fault.
struct FieldReader {
    let text: [UInt8]
    let tokens: [Token]
    let file: String
    let origin: DomainName
    private var index = 0

    init(text: [UInt8], tokens: [Token], file: String, origin: DomainName) {
        self.text = text
        self.tokens = tokens
        self.file = file
        self.origin = origin
    }

    /// The place of the next word, or of the last when there is none left.
    var line: Int { place.line }
    var column: Int { place.column }
    private var place: Token { tokens[min(index, tokens.count - 1)] }

    var isAtEnd: Bool { index >= tokens.count }

    /// The next word as text; `nil` at the end.
    var peek: String? { isAtEnd ? nil : String(decoding: text[tokens[index].range], as: UTF8.self) }
    var nextIsQuoted: Bool { !isAtEnd && tokens[index].isQuoted }

    mutating func skip() { index += 1 }

    mutating func takeWord() -> String? {
        defer { index += 1 }
        return peek
    }

    /// An error at the next word, or the last.
    func error(_ message: String) -> ZoneFileError {
        ZoneFileError(file: file, line: line, column: column, message: message)
    }

    /// Refuses words that are left.
    func end() throws(ZoneFileError) {
        guard isAtEnd else {
            throw error("\"\(peek ?? "")\" is more than the record takes; remove it, or open a comment with \";\"")
        }
    }

    /// The next word's bytes, escapes not resolved.
    private func raw(_ what: String) throws(ZoneFileError) -> ArraySlice<UInt8> {
        guard !isAtEnd else { throw error("\(what) is missing at the end of the record; add it") }
        return text[tokens[index].range]
    }

    /// A domain name; relative ones are completed with the origin, "@" is the origin.
    mutating func name(_ what: String) throws(ZoneFileError) -> DomainName {
        let bytes = try raw(what)
        if !nextIsQuoted, bytes.elementsEqual([UInt8(ascii: "@")]) {
            index += 1
            return origin
        }
        do throws(DomainNameError) {
            let name = try DomainName(presentation: bytes, relativeTo: origin)
            index += 1
            return name
        } catch {
            throw self.error("\(what) is not a domain name: \(error)")
        }
    }

    /// A decimal number of at most `maximum`.
    mutating func number(_ what: String, upTo maximum: UInt32) throws(ZoneFileError) -> UInt32 {
        let bytes = try raw(what)
        guard !bytes.isEmpty, bytes.count <= 10, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw error("\(what) is not a number; write decimal digits")
        }
        let value = bytes.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
        guard value <= maximum else { throw error("\(what) is larger than \(maximum); make it smaller") }
        index += 1
        return UInt32(value)
    }

    /// Seconds, as a number or with the units w, d, h, m and s, like `1h30m`; at most 2³¹ − 1 (RFC 2181, section 8).
    mutating func time(_ what: String) throws(ZoneFileError) -> UInt32 {
        let maximum = UInt64(Int32.max)
        let complaint = "\(what) is not a time; write seconds, or units like 1h30m"
        var (total, current, digits): (UInt64, UInt64, Int) = (0, 0, 0)
        for byte in try raw(what) {
            if (0x30...0x39).contains(byte) {
                (current, digits) = (current * 10 + UInt64(byte - 0x30), digits + 1)
            } else {
                guard let unit = Self.seconds(in: byte), digits > 0 else { throw error(complaint) }
                total += current * unit
                (current, digits) = (0, 0)
            }
            guard current <= maximum, total <= maximum else {
                throw error("\(what) is longer than \(maximum) seconds; make it shorter")
            }
        }
        guard digits > 0 || total > 0 || tokens[index].range.count > 1 else { throw error(complaint) }
        guard total + current <= maximum else {
            throw error("\(what) is longer than \(maximum) seconds; make it shorter")
        }
        index += 1
        return UInt32(total + current)
    }

    private static func seconds(in unit: UInt8) -> UInt64? {
        switch unit {
        case UInt8(ascii: "s"), UInt8(ascii: "S"): 1
        case UInt8(ascii: "m"), UInt8(ascii: "M"): 60
        case UInt8(ascii: "h"), UInt8(ascii: "H"): 3600
        case UInt8(ascii: "d"), UInt8(ascii: "D"): 86_400
        case UInt8(ascii: "w"), UInt8(ascii: "W"): 604_800
        default: nil
        }
    }

    /// A word's bytes with its escapes resolved, at most `maximum` of them.
    mutating func bytes(_ what: String, upTo maximum: Int) throws(ZoneFileError) -> [UInt8] {
        let raw = try raw(what)
        var bytes: [UInt8] = []
        var position = raw.startIndex
        while position < raw.endIndex {
            var byte = raw[position]
            position += 1
            if byte == UInt8(ascii: "\\") {
                // The tokenizer has seen to it that something follows.
                byte = raw[position]
                guard (0x30...0x39).contains(byte) else {
                    bytes.append(byte)
                    position += 1
                    continue
                }
                let digits = raw[position...].prefix(3)
                let value = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
                guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }), value <= 255 else {
                    throw error("\(what) has a bad escape; write a backslash and three digits of at most 255")
                }
                byte = UInt8(value)
                position += 3
            }
            bytes.append(byte)
        }
        guard bytes.count <= maximum else {
            throw error("\(what) has \(bytes.count) bytes, and at most \(maximum) fit; split it into several strings")
        }
        index += 1
        return bytes
    }

    /// All words that are left, as one run of hexadecimal digits.
    mutating func hexBytes(_ what: String) throws(ZoneFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        while !isAtEnd {
            for byte in try raw(what) {
                guard let digit = Self.hexDigit(byte) else {
                    throw error("\(what) is not hexadecimal; write 0-9 and a-f")
                }
                if let first = high {
                    bytes.append(first << 4 | digit)
                    high = nil
                } else {
                    high = digit
                }
            }
            index += 1
        }
        guard high == nil else { throw error("\(what) has an odd number of hexadecimal digits; add the missing one") }
        return bytes
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
