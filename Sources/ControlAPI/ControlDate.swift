import FoundationEssentials

/// Times of the control interface: RFC 3339 in UTC, with microseconds where they are not zero.
enum ControlDate {
    static func text(_ date: Date) -> String {
        let microseconds = Int64((date.timeIntervalSince1970 * 1e6).rounded())
        let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard fraction > 0 else { return date.formatted(.iso8601) }
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        let digits = String(fraction)
        return whole.dropLast() + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
    }

    /// `nil` for what is no such time. Digits beyond the sixth are left out.
    static func date(_ text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let fraction = Double("0." + digits.prefix(6)),
            let whole = try? Date(String(text[..<point] + text[digits.endIndex...]), strategy: .iso8601)
        else { return nil }
        return whole.addingTimeInterval(fraction)
    }
}
