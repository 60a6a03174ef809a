/// An error in a zone file: its position, and how to correct it.
public struct ZoneFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1.
    public var line: Int
    /// In bytes, from 1.
    public var column: Int
    /// For the user, including how to correct it.
    public var message: String

    public init(file: String, line: Int, column: Int, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `file:line:column: message`, a form that editors can follow.
    public var description: String { "\(file):\(line):\(column): \(message)" }
}
