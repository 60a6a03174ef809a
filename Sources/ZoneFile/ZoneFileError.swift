/// What is wrong in a zone file, where, and what to do about it.
public struct ZoneFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1.
    public var line: Int
    /// In bytes, from 1.
    public var column: Int
    /// In the user's words, with the remedy.
    public var message: String

    public init(file: String, line: Int, column: Int, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `file:line:column: message`, which editors can follow.
    public var description: String { "\(file):\(line):\(column): \(message)" }
}
