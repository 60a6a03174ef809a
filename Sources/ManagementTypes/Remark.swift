package import ControlFailures
import VisibleText

/// What people and nodes write about themselves and their reasons. It goes into the log, the journal and on terminals.
package enum Remark {
    package static let rule = "at most 256 bytes without control characters or other invisible ones"

    package static func isSound(_ text: String) -> Bool {
        text.utf8.count <= 256 && text.unicodeScalars.allSatisfy(VisibleText.isSeen)
    }

    /// - Parameter fields: each with its name.
    /// - Throws: `invalid` with the field that may not be recorded.
    package static func require(_ fields: (name: String, text: String?)...) throws(ControlFailure) {
        for (name, text) in fields where !(text.map(isSound) ?? true) {
            throw ControlFailure(.invalid, "\(name) is \(rule)", remedy: "give a short text on one line")
        }
    }
}
