/// Environment variables in paths: `${NAME}`. `$$` stands for a dollar sign; a dollar sign before anything else stands for
/// itself.
public struct PathVariables: Sendable {
    private let value: @Sendable (String) -> String?

    /// - Parameter value: the value of a variable. `nil`: it is not set.
    public init(_ value: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.value = value
    }

    /// The text with each variable replaced by its value.
    ///
    /// - Parameter name: what the text is, for messages.
    package func expand(_ text: Located<String>, _ name: Words) throws(ConfigurationError.Problem) -> String {
        guard text.value.utf8.contains(UInt8(ascii: "$")) else { return text.value }
        var (path, rest) = ("", text.value[...])
        while let dollar = rest.firstIndex(of: "$") {
            path += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            switch rest.first {
            case "$":
                path += "$"
                rest.removeFirst()
            case "{": path += try self.value(from: &rest, text, name)
            default: path += "$"
            }
        }
        return path + rest
    }

    /// Takes `{NAME}` from the start of `rest`.
    private func value(
        from rest: inout Substring, _ text: Located<String>, _ name: Words
    ) throws(ConfigurationError.Problem) -> String {
        guard let end = rest.firstIndex(of: "}"), Self.isName(rest[..<end].dropFirst()) else {
            throw ConfigurationError.Problem(
                at: text.location, "\(name()) is \(text.quoted), expected ${NAME} for an environment variable",
                remedy: "correct the name, or write $$ for a dollar sign")
        }
        let variable = String(rest[..<end].dropFirst())
        rest = rest[rest.index(after: end)...]
        guard let value = self.value(variable), !value.isEmpty else {
            let state = self.value(variable) == nil ? "not set" : "empty"
            throw ConfigurationError.Problem(
                at: text.location, "\(name()) names the environment variable \(variable), which is \(state)",
                remedy: "set it, or write the path out")
        }
        return value
    }

    private static func isName(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || isDigit($0) }
            && text.utf8.first.map { !isDigit($0) } ?? false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// `path` itself if it starts with a slash, otherwise a path below `folder`.
    package static func absolute(_ path: String, in folder: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return folder.hasSuffix("/") ? folder + relative : "\(folder)/\(relative)"
    }
}
