import FoundationEssentials

/// Times as logs show them.
public enum LogTime {
    /// A time in UTC by RFC 3339, with milliseconds: `2026-11-25T01:17:03.123Z`.
    ///
    /// - Parameter milliseconds: since 1970.
    public static func text(milliseconds: Int64) -> String {
        var (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        // Before 1970 too, the fraction counts from the second before.
        if fraction < 0 { (seconds, fraction) = (seconds - 1, fraction + 1_000) }
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        let digits = String(fraction)
        return whole.dropLast() + "." + String(repeating: "0", count: 3 - digits.utf8.count) + digits + "Z"
    }
}
