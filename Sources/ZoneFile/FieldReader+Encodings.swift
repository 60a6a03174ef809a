extension FieldReader {
    /// Reads all remaining words as one run of hexadecimal digits, and appends the bytes.
    ///
    /// - Returns: the number of bytes.
    @discardableResult
    mutating func hexToEnd(_ what: String) throws(ZoneFileError) -> Int { try hex(what, wordCount: .max) }

    /// Reads up to `wordCount` words as one run of hexadecimal digits, and appends the bytes.
    ///
    /// - Returns: the number of bytes.
    mutating func hex(_ what: String, wordCount: Int) throws(ZoneFileError) -> Int {
        let start = output.count
        var (high, digits, words): (UInt8, Int, Int) = (0, 0, 0)
        while !isAtEnd, words < wordCount {
            for position in tokens[index].range {
                guard let digit = Self.hexDigit(text[position]) else {
                    throw error("\(what) is not hexadecimal; write 0-9 and a-f")
                }
                if digits & 1 == 0 { high = digit << 4 } else { output.append(high | digit) }
                digits += 1
            }
            (index, words) = (index + 1, words + 1)
        }
        guard digits & 1 == 0 else {
            throw error("\(what) has an odd number of hexadecimal digits; add the missing one", at: tokens[index - 1])
        }
        return output.count - start
    }

    /// One word of hexadecimal digits, appended with a length byte; "-" means no bytes.
    mutating func salt(_ what: String) throws(ZoneFileError) {
        let token = try token(what)
        guard !nextIs("-") else {
            output.append(0)
            index += 1
            return
        }
        let count = token.end - token.start
        guard count & 1 == 0, (2...510).contains(count) else {
            throw error("\(what) is not 1 to 255 bytes in hexadecimal; write two digits a byte, or \"-\" for none")
        }
        output.append(UInt8(count / 2))
        for position in stride(from: token.start, to: token.end, by: 2) {
            guard let high = Self.hexDigit(text[position]), let low = Self.hexDigit(text[position + 1]) else {
                throw error("\(what) is not hexadecimal; write 0-9 and a-f, or \"-\" for none")
            }
            output.append(high << 4 | low)
        }
        index += 1
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Reads all remaining words as one run of base64 (RFC 4648, section 4), and appends at least one byte.
    mutating func base64ToEnd(_ what: String) throws(ZoneFileError) { try base64(what, wordCount: .max) }

    /// Reads up to `wordCount` words as one run of base64, and appends at least one byte.
    mutating func base64(_ what: String, wordCount: Int) throws(ZoneFileError) {
        _ = try token(what)
        var (decoder, words) = (Base64Decoder(), 0)
        while !isAtEnd, words < wordCount {
            for position in tokens[index].range {
                guard decoder.take(text[position], into: &output) else {
                    throw error("\(what) is not base64; write letters, digits, + and /, with = at the very end only")
                }
            }
            (index, words) = (index + 1, words + 1)
        }
        guard decoder.isComplete else {
            throw error(
                "\(what) is not whole base64: its digits come in fours, filled up with =; add what is missing",
                at: tokens[index - 1])
        }
    }

    /// Like `base64ToEnd`, but may be empty, which is written as a hyphen or as no word.
    mutating func optionalBase64(_ what: String, hyphen: Bool) throws(ZoneFileError) {
        if hyphen, nextIs("-") {
            skip()
        } else if hyphen || !isAtEnd {
            try base64ToEnd(what)
        }
    }

    /// One word of base32 with the "extended hex" alphabet, without padding (RFC 5155, section 3.3), appended with a
    /// length byte.
    mutating func base32Hex(_ what: String) throws(ZoneFileError) {
        let token = try token(what)
        let count = token.end - token.start
        guard count >= 2, count * 5 / 8 <= 255, [0, 2, 4, 5, 7].contains(count % 8) else {
            throw error("\(what) is not base32hex of whole bytes; write it without padding")
        }
        output.append(UInt8(count * 5 / 8))
        var (bits, held): (UInt32, Int) = (0, 0)
        for position in token.range {
            let digit: UInt8
            switch text[position] {
            case 0x30...0x39: digit = text[position] - 0x30
            case 0x41...0x56: digit = text[position] - 0x41 + 10
            case 0x61...0x76: digit = text[position] - 0x61 + 10
            default: throw error("\(what) is not base32hex; write 0-9 and a-v")
            }
            (bits, held) = (bits << 5 | UInt32(digit), held + 5)
            if held >= 8 {
                held -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        index += 1
    }
}

/// Decodes base64 byte by byte, in groups of four characters with padding.
struct Base64Decoder {
    private var bits: UInt32 = 0
    private var digits = 0
    private var padding = 0

    /// Whether the input so far is complete and not empty.
    private(set) var isEmpty = true
    var isComplete: Bool { !isEmpty && (digits + padding) % 4 == 0 }

    /// Adds one character; `false` if it is not allowed here.
    mutating func take(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        if byte == UInt8(ascii: "=") {
            guard digits % 4 >= 2, digits % 4 + padding < 4 else { return false }
            padding += 1
            return true
        }
        guard padding == 0, let digit = Self.digit(byte) else { return false }
        isEmpty = false
        bits = bits << 6 | UInt32(digit)
        digits += 1
        switch digits % 4 {
        case 2: output.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3: output.append(UInt8(truncatingIfNeeded: bits >> 2))
        case 0: output.append(UInt8(truncatingIfNeeded: bits))
        default: break
        }
        return true
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
