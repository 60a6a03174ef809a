/// What people and nodes write about themselves and their reasons: it goes into the log, the journal and on terminals.
package enum Remark {
    package static let rule = "at most 256 bytes without control characters, or others that are not seen"

    /// Characters that change how others are shown, as those that turn the direction of text (U+202E), make a log say
    /// what was not written; line and paragraph separators end lines for some readers.
    private static let refused: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator,
    ]

    package static func isSound(_ text: String) -> Bool {
        text.utf8.count <= 256 && !text.unicodeScalars.contains { refused.contains($0.properties.generalCategory) }
    }
}
