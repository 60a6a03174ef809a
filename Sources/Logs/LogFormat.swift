import VisibleText

/// How a log line is written.
public enum LogFormat: String, CaseIterable, Sendable {
    /// `key=value` pairs; values with spaces, quotes or control characters are quoted (logfmt).
    case logfmt
    /// One JSON object.
    case json

    /// One line, with its line feed.
    ///
    /// The message stands behind time and level, and before the details. A line without a time is for a reader that has
    /// its own clock, such as journald.
    ///
    /// - Parameters:
    ///   - time: as it is shown; `nil` to leave it out.
    ///   - fields: the details, in the order in which they are shown. A name that is a key of the line itself, `time`,
    ///     `level` or `message`, gets an underscore in front.
    public func line(time: String?, level: String, message: String, fields: [(name: String, value: LogValue)]) -> String
    {
        let head =
            (time.map { [("time", LogValue.text($0))] } ?? []) + [("level", .text(level)), ("message", .text(message))]
        let details = fields.map { name, value in (Self.reserved.contains(name) ? "_" + name : name, value) }
        let pairs = head + details
        switch self {
        case .logfmt: return pairs.map { "\(Self.key($0))=\(Self.quoted($1.logfmt))" }.joined(separator: " ") + "\n"
        case .json: return "{" + pairs.map { "\(JSONText.string($0)):\($1.json)" }.joined(separator: ",") + "}\n"
        }
    }

    private static let reserved: Set<String> = ["time", "level", "message"]

    /// A key without the characters that end one.
    private static func key(_ name: String) -> String {
        String(name.map { $0 == " " || $0 == "=" || $0 == "\"" || $0.isNewline ? "_" : $0 })
    }

    /// A value as a logfmt reader takes it: quoted if it has to be, with the escapes of JSON.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar != " " && scalar != "=" && scalar != "\"" && scalar != "\\" && VisibleText.isSeen(scalar)
            }
        return isPlain ? text : JSONText.string(text)
    }
}

/// The value of a detail.
public enum LogValue: Sendable, Equatable {
    case text(String)
    case list([LogValue])
    case object([(name: String, value: LogValue)])

    public static func == (left: LogValue, right: LogValue) -> Bool { left.json == right.json }

    var json: String {
        switch self {
        case .text(let text): JSONText.string(text)
        case .list(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .object(let fields):
            "{" + fields.map { "\(JSONText.string($0.name)):\($0.value.json)" }.joined(separator: ",") + "}"
        }
    }

    /// Lists and objects are their JSON text.
    var logfmt: String {
        if case .text(let text) = self { text } else { json }
    }
}

/// Strings in JSON (RFC 8259, section 7).
enum JSONText {
    /// The text in quotes. What a terminal would act on is escaped too, because logs are read on terminals.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if VisibleText.isSeen(scalar) {
                    result.unicodeScalars.append(scalar)
                } else {
                    for unit in String(scalar).utf16 { result += "\\u" + hexadecimal(unit) }
                }
            }
        }
        return result + "\""
    }

    private static func hexadecimal(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
