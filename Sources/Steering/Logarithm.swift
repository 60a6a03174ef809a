/// The natural logarithm, computed with IEEE-exact operations, so that every machine ranks alike.
enum NaturalLogarithm {
    /// ln 2 in two parts: the first has few bits, so that its product with an exponent is exact.
    private static let ln2High = 0x1.62e42feep-1
    private static let ln2Low = 0x1.a39ef35793c76p-33

    /// ln `x` for normal x > 0; error below 2 units in the last place.
    static func of(_ x: Double) -> Double {
        // x = 2^exponent · m with m in [√½, √2).
        var exponent = Double(x.exponent)
        var m = x.significand
        if m > 1.414_213_562_373_095_1 {
            m /= 2
            exponent += 1
        }
        // ln m = 2 artanh((m - 1) / (m + 1)): the argument is below 0.1716, so that eleven terms reach the last bit.
        let s = (m - 1) / (m + 1)
        let square = s * s
        var sum = 0.0
        for term in stride(from: 21, through: 3, by: -2) { sum = (sum + 1 / Double(term)) * square }
        return exponent * ln2High + (exponent * ln2Low + (2 * s + 2 * s * sum))
    }
}
