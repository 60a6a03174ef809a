/// Why a configuration, its zones or its database cannot be served: every problem found, each with place and remedy.
public struct LoadProblem: Error, CustomStringConvertible {
    public let problems: [String]
    /// What would have been served, but is hardly meant: as far as zones could be read.
    public let warnings: [String]

    public init(_ problems: [String], warnings: [String] = []) {
        self.problems = problems
        self.warnings = warnings
    }

    public var description: String { problems.joined(separator: "\n") }
}
