/// LOC (RFC 1876): angles in thousandths of a second, lengths in centimetres.
extension FieldReader {
    /// `d1 [m1 [s1]] N|S d2 [m2 [s2]] E|W altitude[m] [size[m] [horizontal[m] [vertical[m]]]]`, section 3.
    mutating func location() throws(ZoneFileError) {
        let latitude = try angle("the latitude", upTo: 90, "N", "S")
        let longitude = try angle("the longitude", upTo: 180, "E", "W")
        let altitude = try metres("the altitude", in: -10_000_000...4_284_967_295)
        // Defaults: 1 m, 10 km and 10 m.
        var precisions: [Int] = [100, 1_000_000, 1000]
        for (number, what) in ["the size", "the horizontal precision", "the vertical precision"].enumerated() {
            guard !isAtEnd else { break }
            precisions[number] = try metres(what, in: 0...9_000_000_000)
        }
        append(UInt8(0))
        for precision in precisions { append(Self.precision(precision)) }
        append(UInt32(1 << 31 + latitude))
        append(UInt32(1 << 31 + longitude))
        append(UInt32(altitude + 10_000_000))
    }

    /// Degrees, minutes and seconds with a hemisphere. The second hemisphere is negative.
    private mutating func angle(
        _ what: String, upTo maximum: UInt32, _ positive: StaticString, _ negative: StaticString
    ) throws(ZoneFileError) -> Int {
        let start = try token(what)
        var total = Int(try number("the degrees of \(what)", upTo: maximum)) * 3_600_000
        if let first = word.first, Self.isDigit(first) {
            total += Int(try number("the minutes of \(what)", upTo: 59)) * 60_000
            if let first = word.first, Self.isDigit(first) {
                guard let seconds = Self.decimal(word, places: 3), seconds < 60_000 else {
                    throw error("the seconds of \(what) are not 0 to 59.999; write at most three decimals")
                }
                total += seconds
                skip()
            }
        }
        guard total <= Int(maximum) * 3_600_000 else {
            throw error("\(what) is above \(maximum) degrees; make it smaller", at: start)
        }
        guard nextIs(positive) || nextIs(negative) else {
            throw error("the direction of \(what) is missing; write \(positive) or \(negative)")
        }
        let sign = nextIs(positive) ? 1 : -1
        skip()
        return sign * total
    }

    /// Metres with at most two decimals and an optional "m", as centimetres in `range`.
    private mutating func metres(_ what: String, in range: ClosedRange<Int>) throws(ZoneFileError) -> Int {
        _ = try token(what)
        var text = word
        if text.last == UInt8(ascii: "m") { text.removeLast() }
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative || text.first == UInt8(ascii: "+") { text.removeFirst() }
        guard let size = Self.decimal(text, places: 2) else {
            throw error("\(what) is not a length; write metres with at most two decimals, like 12.50m")
        }
        let value = isNegative ? -size : size
        guard range.contains(value) else {
            throw error("\(what) is outside \(range.lowerBound / 100) to \(range.upperBound / 100) metres; correct it")
        }
        skip()
        return value
    }

    /// A decimal number times 10 to the power of `places`.
    private static func decimal(_ text: ArraySlice<UInt8>, places: Int) -> Int? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...9).contains(whole.count), whole.allSatisfy(isDigit) else { return nil }
        let fraction = parts.count > 1 ? Array(parts[1]) : []
        guard parts.count == 1 || (1...places).contains(fraction.count), fraction.allSatisfy(isDigit) else {
            return nil
        }
        let digits = Array(whole) + fraction + Array(repeating: 0x30, count: places - fraction.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// One digit and a power of ten (section 2); further digits are dropped.
    private static func precision(_ centimetres: Int) -> UInt8 {
        var (mantissa, exponent) = (centimetres, UInt8(0))
        while mantissa > 9 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
        return UInt8(mantissa) << 4 | exponent
    }
}
