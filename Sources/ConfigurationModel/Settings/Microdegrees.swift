/// Decimal degrees as whole millionths.
enum Microdegrees {
    enum Failure: Error {
        case malformed
        case outOfRange
    }

    /// Reads `[+-]digits[.digits]`. Digits after the sixth decimal are rounded, half away from zero.
    ///
    /// The value never passes through floating point, so every machine reads the same number.
    ///
    /// - Parameter limit: the largest magnitude in whole degrees. Anything beyond it is out of range.
    static func parse(_ text: String, limit: Int32) throws(Failure) -> Int32 {
        var rest = Substring(text).utf8
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let parts = rest.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }), let whole = parts.first
        else { throw .malformed }
        let decimals = parts.dropFirst().first.map { Array($0) } ?? []

        // More than three significant digits exceed any limit. This also keeps the arithmetic small.
        let significant = whole.drop { $0 == UInt8(ascii: "0") }
        guard significant.count <= 3 else { throw .outOfRange }
        let degrees = value(of: significant)
        let millionths = (0..<6).reduce(Int32(0)) { $0 * 10 + ($1 < decimals.count ? digit(decimals[$1]) : 0) }
        let roundsUp = decimals.count > 6 && digit(decimals[6]) >= 5
        guard degrees < limit || (degrees == limit && decimals.allSatisfy { $0 == UInt8(ascii: "0") })
        else { throw .outOfRange }

        let magnitude = degrees * 1_000_000 + millionths + (roundsUp ? 1 : 0)
        return isNegative ? -magnitude : magnitude
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func digit(_ byte: UInt8) -> Int32 { Int32(byte) - 0x30 }

    private static func value(of digits: some Sequence<UInt8>) -> Int32 {
        digits.reduce(0) { $0 * 10 + digit($1) }
    }
}
