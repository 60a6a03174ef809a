import DNSWire
import VisibleText

extension FieldReader {
    /// A decimal number of at most `maximum`.
    mutating func number(_ what: String, upTo maximum: UInt32) throws(ZoneFileError) -> UInt32 {
        let token = try token(what)
        var value: UInt64 = 0
        for position in token.range {
            guard Self.isDigit(text[position]), token.end - token.start <= 10 else {
                throw error("\(what) is not a number; write decimal digits")
            }
            value = value * 10 + UInt64(text[position] - 0x30)
        }
        guard !token.range.isEmpty else { throw error("\(what) is not a number; write decimal digits") }
        guard value <= maximum else { throw error("\(what) is larger than \(maximum); make it smaller") }
        index += 1
        return UInt32(value)
    }

    /// Seconds, as a number or with the units w, d, h, m and s, as in `1h30m`; at most 2³² − 1 (RFC 1035, section
    /// 3.3.13).
    mutating func time(_ what: String) throws(ZoneFileError) -> UInt32 {
        let token = try token(what)
        let maximum = UInt64(UInt32.max)
        func complaint() -> ZoneFileError { error("\(what) is not a time; write seconds, or units like 1h30m") }
        var (total, current, digits): (UInt64, UInt64, Int) = (0, 0, 0)
        for position in token.range {
            let byte = text[position]
            if Self.isDigit(byte) {
                (current, digits) = (current * 10 + UInt64(byte - 0x30), digits + 1)
            } else {
                guard let unit = Self.seconds(in: byte), digits > 0 else { throw complaint() }
                total += current * unit
                (current, digits) = (0, 0)
            }
            guard total + current <= maximum else {
                throw error("\(what) is longer than \(maximum) seconds; make it shorter")
            }
        }
        // The word needs a number: before a unit or at its end.
        guard digits > 0 || token.end - token.start > 1 else { throw complaint() }
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

    /// `YYYYMMDDHHmmSS` in UTC, or seconds since 1970 in at most ten digits (RFC 4034, section 3.2).
    mutating func timestamp(_ what: String) throws(ZoneFileError) -> UInt32 {
        let token = try token(what)
        guard token.end - token.start == 14 else { return try number(what, upTo: .max) }
        guard let seconds = CalendarTime(digits: text[token.range])?.seconds, let value = UInt32(exactly: seconds)
        else {
            throw error("\(what) is not a date from 1970 to 2106; write it as YYYYMMDDHHmmSS")
        }
        index += 1
        return value
    }

    /// A number of at most `maximum`, or one of `mnemonics`.
    mutating func numberOrMnemonic(
        _ what: String, upTo maximum: UInt32, _ mnemonics: [(UInt16, String)]
    ) throws(ZoneFileError) -> UInt32 {
        let token = try token(what)
        if token.start < token.end, Self.isDigit(text[token.start]) { return try number(what, upTo: maximum) }
        let word = wordText.uppercased()
        guard let known = mnemonics.first(where: { $0.1 == word }) else {
            throw error(
                "\(what) is neither a number nor known by the name \(VisibleText.quoted(word)); write its number")
        }
        index += 1
        return UInt32(known.0)
    }
}
