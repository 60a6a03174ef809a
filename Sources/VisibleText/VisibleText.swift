/// Text from outside as messages show it.
///
/// Messages go to terminals and into logs. Characters that are not seen there must not act there: an escape sequence
/// changes a terminal, and U+202E makes a line say what was not written.
public enum VisibleText {
    /// Line and paragraph separators end lines for some readers.
    private static let unseen: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]

    /// Whether a message may hold `scalar` as it is.
    public static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        // Almost all text is ASCII, and the look-up of a category is slow.
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
        return !unseen.contains(scalar.properties.generalCategory)
    }

    /// `text` cut after `limit` Unicode scalars, with `…` where it goes on. What is not seen is escaped.
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
