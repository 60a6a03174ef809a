public import Lints

/// An error in a zone file, or a warning: its position, and how to correct it.
public struct ZoneFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1.
    public var line: Int
    /// In bytes, from 1.
    public var column: Int
    /// For the user, including how to correct it.
    public var message: String
    /// The kind of a warning. `nil`: an error.
    public var lint: Lint?

    public init(file: String, line: Int, column: Int, message: String, lint: Lint? = nil) {
        self.lint = lint
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// The same as a warning. The remedy is what follows the last semicolon.
    public var warning: LintWarning? {
        guard let lint else { return nil }
        let place = "\(file):\(line):\(column)"
        let end = message.utf8.lastIndex(of: UInt8(ascii: ";"))
        return LintWarning(
            lint, at: place, end.map { String(message[..<$0]) } ?? message,
            remedy: end.map { String(message[message.index(after: $0)...].drop { $0 == " " }) })
    }

    /// `file:line:column: message`, a form that editors can follow.
    public var description: String { "\(file):\(line):\(column): \(message)" }
}
