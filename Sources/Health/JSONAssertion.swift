/// A value that a JSON document must hold at a path: `$.status`, `$.checks[0].state`, `$['two words']`.
///
/// The paths are the part of JSONPath (RFC 9535) that names one place: members and indices.
public struct JSONAssertion: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case member(String)
        /// Negative ones count from the end.
        case index(Int)
    }

    public let path: String
    public let steps: [Step]
    /// As text: a string without quotes, a number as it is written, `true`, `false` or `null`.
    public let value: String

    /// `nil`: the path is not of this form.
    public init?(path: String, value: String) {
        guard let steps = Self.steps(path) else { return nil }
        self.path = path
        self.steps = steps
        self.value = value
    }

    private static func steps(_ path: String) -> [Step]? {
        var rest = Substring(path)
        guard rest.popFirst() == "$" else { return nil }
        var steps: [Step] = []
        while let first = rest.popFirst() {
            switch first {
            case ".":
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { return nil }
                steps.append(.member(String(name)))
                rest = rest[name.endIndex...]
            case "[":
                guard let quote = rest.first, quote == "'" || quote == "\"" else {
                    guard let end = rest.firstIndex(of: "]"), let index = Int(rest[..<end]) else { return nil }
                    steps.append(.index(index))
                    rest = rest[rest.index(after: end)...]
                    continue
                }
                rest.removeFirst()
                guard let end = rest.firstIndex(of: quote) else { return nil }
                steps.append(.member(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
                guard rest.popFirst() == "]" else { return nil }
            default: return nil
            }
        }
        return steps
    }
}
