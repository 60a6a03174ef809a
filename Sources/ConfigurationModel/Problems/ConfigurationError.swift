/// All problems of a configuration, sorted by location. Never empty.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let problems: [Problem]

    public init(problems: [Problem]) {
        self.problems = problems
    }

    /// One problem per line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }

    /// A problem at one location, with its remedy.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        public let location: DocumentLocation
        /// What was found and what was expected.
        public let message: String
        /// What to do. `nil` if the message says it.
        public let remedy: String?

        public init(at location: DocumentLocation, _ message: String, remedy: String?) {
            self.location = location
            self.message = message
            self.remedy = remedy
        }

        /// `nearcast.yaml:12:5: message: remedy`.
        public var description: String {
            remedy.map { "\(location): \(message): \($0)" } ?? "\(location): \(message)"
        }
    }
}
