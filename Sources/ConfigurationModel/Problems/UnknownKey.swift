/// A key that a mapping does not allow.
package enum UnknownKey {
    /// - Parameters:
    ///   - key: as messages show it: in quotes, or `a list`.
    ///   - name: the name of the mapping. Empty at the top level.
    ///   - suggestion: the key that was probably meant.
    package static func problem(
        at location: DocumentLocation, _ key: String, in name: String, known: [String], suggestion: String?
    ) -> ConfigurationError.Problem {
        ConfigurationError.Problem(
            at: location,
            "unknown key \(key) \(name.isEmpty ? "at the top level" : "in \(name)"), expected "
                + Spelling.alternatives(known),
            remedy: suggestion.map { "did you mean \($0)?" } ?? "remove it or correct the spelling")
    }

    /// The same for a key given as text.
    package static func problem(
        at location: DocumentLocation, text: String, in name: String, known: [String]
    ) -> ConfigurationError.Problem {
        problem(
            at: location, Spelling.quoted(text), in: name, known: known,
            suggestion: Spelling.nearest(to: text, among: known))
    }
}
