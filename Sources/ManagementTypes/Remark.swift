import VisibleText

/// What people and nodes write about themselves and their reasons: it goes into the log, the journal and on terminals.
package enum Remark {
    package static let rule = "at most 256 bytes without control characters, or others that are not seen"

    package static func isSound(_ text: String) -> Bool {
        text.utf8.count <= 256 && text.unicodeScalars.allSatisfy(VisibleText.isSeen)
    }
}
