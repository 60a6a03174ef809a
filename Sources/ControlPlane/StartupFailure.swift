/// Why the daemon cannot start: every reason found, in the user's words.
package struct StartupFailure: Error, CustomStringConvertible {
    package let problems: [String]

    package init(_ problems: [String]) { self.problems = problems }

    package var description: String { problems.joined(separator: "\n") }
}
