import FoundationEssentials

/// Times of the API: RFC 3339 in UTC, with microseconds where they are not zero.
enum ControlDate {
    /// A year has four digits there (RFC 3339, section 5.6).
    private static let years = -62_135_596_800.0..<253_402_300_800.0

    /// Times before the year 1 or after 9999 are written as the nearest time in that range.
    static func text(_ date: Date) -> String {
        let time = min(max(date.timeIntervalSince1970, years.lowerBound), years.upperBound - 1e-3)
        let microseconds = Int64((time * 1e6).rounded())
        var (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        // Before 1970 too, the fraction counts from the second before.
        if fraction < 0 { (seconds, fraction) = (seconds - 1, fraction + 1_000_000) }
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        guard fraction > 0 else { return whole }
        let digits = String(fraction)
        return whole.dropLast() + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
    }

    /// `nil` if the text is no such time. Digits beyond the sixth are ignored.
    static func date(_ text: String) -> Date? {
        guard let date = anyDate(text), years.contains(date.timeIntervalSince1970) else { return nil }
        return date
    }

    private static func anyDate(_ text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let fraction = Double("0." + digits.prefix(6)),
            let whole = try? Date(String(text[..<point] + text[digits.endIndex...]), strategy: .iso8601)
        else { return nil }
        return whole.addingTimeInterval(fraction)
    }
}
