public import FoundationEssentials
import VisibleText

/// Where the command finds the control socket.
public enum ControlSocket {
    /// The environment variable with its path.
    public static let variable = "NEARCAST_SOCKET"
    /// Where the daemon of a package has it.
    public static let standard = "/run/nearcast/control.sock"

    /// - Parameters:
    ///   - given: on the command line.
    ///   - variable: the value of the environment variable. Empty is as good as none.
    public static func path(given: String?, variable: String?) -> String {
        given ?? variable.flatMap { $0.isEmpty ? nil : $0 } ?? standard
    }
}

/// Values as people write them on the command line.
public enum CommandArguments {
    /// A TTL as in zone files: seconds, or numbers with the units w, d, h, m and s, as in `1h30m`. `nil`: it is none.
    public static func timeToLive(_ text: String) -> UInt32? {
        let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        var (total, digits): (UInt64, String) = (0, "")
        for character in text.lowercased() {
            if character.isASCII, character.isNumber {
                digits.append(character)
                continue
            }
            guard let unit = units[character], let count = UInt32(digits) else { return nil }
            total += UInt64(count) * unit
            digits = ""
        }
        if !digits.isEmpty {
            guard let seconds = UInt32(digits) else { return nil }
            total += UInt64(seconds)
        }
        return text.isEmpty ? nil : UInt32(exactly: total)
    }

    /// A point of time by RFC 3339, as `2027-01-31T22:00:00Z`. `nil`: it is none, or has no offset from UTC.
    public static func time(_ text: String) -> Date? { try? Date(text, strategy: .iso8601) }

    /// What is expected instead of a text that is no time.
    public static func complaint(aboutTime text: String) -> String {
        let lacksOffset = time(text + "Z") != nil
        return "\"\(text.printable)\" "
            + (lacksOffset
                ? "has no offset from UTC: write \(text)Z for UTC, or \(text)+01:00"
                : "is not a time, expected one such as 2027-01-31T22:00:00Z or 2027-01-31T23:00:00+01:00")
    }
}
