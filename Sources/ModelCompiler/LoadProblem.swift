public import Lints

/// Why a configuration, its zones or its database cannot be served: every problem, each with place and remedy.
public struct LoadProblem: Error, CustomStringConvertible {
    public let problems: [String]
    /// Warnings for what could be read: it would have been served, but is probably a mistake.
    public let warnings: [LintWarning]

    public init(_ problems: [String], warnings: [LintWarning] = []) {
        self.problems = problems
        self.warnings = warnings
    }

    public var description: String { problems.joined(separator: "\n") }
}
