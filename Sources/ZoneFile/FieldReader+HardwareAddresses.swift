/// Hardware addresses, NSAP and ATM addresses, and ILNP locators.
extension FieldReader {
    /// Bytes of two hexadecimal digits between hyphens (RFC 7043, sections 3.2 and 4.2).
    mutating func hardwareAddress(_ what: String, byteCount: Int) throws(ZoneFileError) {
        let token = try token(what)
        let complaint = "\(what) is not \(byteCount) bytes like 00-1a-2b; write two digits a byte, with hyphens between"
        guard token.end - token.start == byteCount * 3 - 1 else { throw error(complaint) }
        for number in 0..<byteCount {
            let place = token.start + 3 * number
            guard let high = Self.hexDigit(text[place]), let low = Self.hexDigit(text[place + 1]),
                number == byteCount - 1 || text[place + 2] == UInt8(ascii: "-")
            else { throw error(complaint) }
            output.append(high << 4 | low)
        }
        index += 1
    }

    /// Four groups of one to four hexadecimal digits, with colons between (RFC 6742, section 2.1.1).
    mutating func locator(_ what: String) throws(ZoneFileError) {
        let groups = text[try token(what).range].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard groups.count == 4 else { throw notALocator(what) }
        for group in groups {
            guard (1...4).contains(group.count) else { throw notALocator(what) }
            var value: UInt16 = 0
            for byte in group {
                guard let digit = Self.hexDigit(byte) else { throw notALocator(what) }
                value = value << 4 | UInt16(digit)
            }
            append(value)
        }
        index += 1
    }

    private func notALocator(_ what: String) -> ZoneFileError {
        error("\(what) is not four groups of hexadecimal digits, like 0014:4fff:ff20:ee64; correct it")
    }

    /// `0x` and hexadecimal digits, with dots anywhere between (RFC 1706, section 7).
    mutating func nsapAddress(_ what: String) throws(ZoneFileError) {
        let digits = text[try token(what).range]
        guard digits.starts(with: [0x30, 0x78]) || digits.starts(with: [0x30, 0x58]),
            appendDotted(digits.dropFirst(2), mayRepeatDots: true)
        else { throw error("\(what) is not 0x and hexadecimal digits of whole bytes, like 0x47.0005.80; correct it") }
        index += 1
    }

    /// Hexadecimal digits, or `+` and decimal ones, with single dots between (AF-DANS-0152.000).
    mutating func atmAddress(_ what: String) throws(ZoneFileError) {
        let word = text[try token(what).range]
        let isNumber = word.first == UInt8(ascii: "+")
        output.append(isNumber ? 1 : 0)
        if isNumber {
            let groups = word.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isDigit) }) else {
                throw error("\(what) is not \"+\" and decimal digits, like +358.400.1234567; correct it")
            }
            output.append(contentsOf: groups.joined())
        } else if !appendDotted(word, mayRepeatDots: false) {
            throw error("\(what) is not hexadecimal digits of whole bytes, like 39.246f.00; correct it")
        }
        index += 1
    }

    /// Appends the bytes of hexadecimal digits separated by dots; `false` if there are none, or an odd number.
    private mutating func appendDotted(_ text: ArraySlice<UInt8>, mayRepeatDots: Bool) -> Bool {
        var (high, digits): (UInt8, Int) = (0, 0)
        var lastIsDot = true
        for byte in text {
            if byte == UInt8(ascii: ".") {
                guard mayRepeatDots || !lastIsDot else { return false }
                lastIsDot = true
                continue
            }
            guard let digit = Self.hexDigit(byte) else { return false }
            lastIsDot = false
            if digits & 1 == 0 { high = digit << 4 } else { output.append(high | digit) }
            digits += 1
        }
        return digits > 0 && digits & 1 == 0 && (mayRepeatDots || !lastIsDot)
    }
}
