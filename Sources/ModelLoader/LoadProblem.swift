/// Why a configuration, its zones or its database cannot be served: every problem found, each with place and remedy.
public struct LoadProblem: Error, CustomStringConvertible {
    public let problems: [String]

    public init(_ problems: [String]) { self.problems = problems }

    public var description: String { problems.joined(separator: "\n") }
}
