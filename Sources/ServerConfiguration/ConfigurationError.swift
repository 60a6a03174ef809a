/// Everything that is wrong with a configuration file, in the order of the file; never empty.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let problems: [Problem]

    public init(problems: [Problem]) {
        self.problems = problems
    }

    /// One problem a line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }

    /// What was found, what was expected and what to do, at one place of the file.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        public let file: String
        /// From 1; 0 when the problem is the file itself (missing, unreadable, too large).
        public let line: Int
        /// From 1, in Unicode scalars; 0 when `line` is 0.
        public let column: Int
        public let message: String

        /// A problem at `mark`, or with the file itself when `mark` is `nil`.
        public init(file: String, at mark: SourceMark?, message: String) {
            self.file = file
            line = mark?.line ?? 0
            column = mark?.column ?? 0
            self.message = message
        }

        /// `nearcast.yaml:12:5: message`, the form that editors and terminals make clickable.
        public var description: String {
            line == 0 ? "\(file): \(message)" : "\(file):\(line):\(column): \(message)"
        }
    }
}
