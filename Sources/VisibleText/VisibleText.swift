/// Untrusted text in a form that is safe to display.
///
/// Messages go to terminals and logs, where invisible characters must not take effect. An escape sequence would control
/// the terminal, and U+202E would reverse the text that follows.
public enum VisibleText {
    /// Line and paragraph separators end lines for some readers.
    private static let unseen: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]

    /// Whether a message may contain `scalar` unescaped.
    public static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        // Almost all text is ASCII, and looking up a category is slow.
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
        return !unseen.contains(scalar.properties.generalCategory)
    }

    /// `text` cut after `limit` Unicode scalars, with `…` if it is longer. Invisible characters are escaped.
    public static func cut(_ text: some StringProtocol, after limit: Int = 60) -> String {
        var shown = ""
        var rest = text.unicodeScalars[...]
        for _ in 0..<limit {
            guard let scalar = rest.popFirst() else { return shown }
            shown += isSeen(scalar) ? String(scalar) : scalar.escaped(asASCII: true)
        }
        return rest.isEmpty ? shown : shown + "…"
    }

    /// The same in quotes.
    public static func quoted(_ text: some StringProtocol) -> String { "\"\(cut(text))\"" }
}
