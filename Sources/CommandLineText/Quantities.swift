public import FoundationEssentials

/// Numbers as people read them.
public enum Quantities {
    /// `11,612,345`.
    public static func count(_ value: some BinaryInteger) -> String {
        var digits = String(value.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.append(String(digits.suffix(3)))
            digits.removeLast(3)
        }
        return (value < 0 ? "-" : "") + ([digits] + groups.reversed()).joined(separator: ",")
    }

    /// `640 B`, `1.5 KiB`, `32 MiB`: three digits or fewer, in powers of 1,024.
    public static func bytes(_ value: UInt64) -> String {
        guard value >= 1_024 else { return "\(value) B" }
        var amount = Double(value)
        var unit = "B"
        // 1,023.5 would be shown as 1024.
        for larger in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] where amount >= 1_023.5 {
            amount /= 1_024
            unit = larger
        }
        return "\(decimal(amount, places: amount < 9.95 ? 1 : 0)) \(unit)"
    }

    /// `3.4 km`, `5,312 km`.
    public static func kilometres(_ value: Double) -> String {
        value < 9.95 ? "\(decimal(value, places: 1)) km" : "\(count(Int(value.rounded()))) km"
    }

    /// A node's share, 0…256 parts: `100 %`, `50 %`, `0.4 %`.
    public static func share(_ parts: Int) -> String {
        let percent = Double(parts) * 100 / 256
        return "\(decimal(percent, places: percent < 1 && parts != 0 ? 1 : 0)) %"
    }

    /// Per cent, 0 and more: `95 %`.
    public static func percent(_ value: Double) -> String {
        "\(decimal(value, places: value < 1 && value > 0 ? 1 : 0)) %"
    }

    /// A part of all, 0...1: `100 %`, `23.4 %`, `0.04 %`, `<0.01 %`.
    public static func part(_ value: Double) -> String {
        let percent = value * 100
        guard percent == 0 || percent >= 0.005 else { return "<0.01 %" }
        let places = percent == 0 || percent == 100 ? 0 : percent < 0.95 ? 2 : 1
        return "\(decimal(percent, places: places)) %"
    }

    /// `0.482913`: scores differ by little.
    public static func score(_ value: Double) -> String {
        let millionths = Int((value * 1e6).rounded())
        let fraction = String(millionths % 1_000_000)
        return "\(millionths / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
    }

    /// `0.4 ms`, `350 µs`, `12.3 s`, `5 min 12 s`, `3 h 20 min`, `12 d 4 h`.
    public static func duration(_ seconds: Double) -> String {
        guard seconds >= 0.000_999_5 else { return "\(decimal(seconds * 1e6, places: 0)) µs" }
        guard seconds >= 0.999_5 else {
            return "\(decimal(seconds * 1e3, places: seconds < 0.009_95 ? 1 : 0)) ms"
        }
        guard seconds >= 59.5 else { return "\(decimal(seconds, places: seconds < 9.95 ? 1 : 0)) s" }
        let whole = Int(min(seconds.rounded(), 1e15))
        switch whole {
        case ..<3_600: return "\(whole / 60) min \(whole % 60) s"
        case ..<86_400: return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
        default: return "\(count(whole / 86_400)) d \(whole % 86_400 / 3_600) h"
        }
    }

    /// A time span that is set in seconds or minutes: `60 s`, `5 min 12 s`.
    public static func span(_ seconds: Double) -> String {
        seconds < 119.5 ? "\(decimal(seconds, places: 0)) s" : duration(seconds)
    }

    /// Degrees as `50.11, 8.68`.
    public static func coordinates(_ latitude: Double, _ longitude: Double) -> String {
        "\(decimal(latitude, places: 2)), \(decimal(longitude, places: 2))"
    }

    /// `2026-11-22 08:20:21 UTC`.
    public static func time(_ date: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .gmt)
        return date.formatted(style).replacing("Z", with: " UTC")
    }

    /// With exactly so many decimal places.
    private static func decimal(_ value: Double, places: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
        let factor = places == 0 ? 1 : places == 1 ? 10 : 100
        let scaled = Int((value.magnitude * Double(factor)).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard places > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % factor)
        let zeros = String(repeating: "0", count: places - fraction.count)
        return "\(sign)\(scaled / factor).\(zeros)\(fraction)"
    }
}
