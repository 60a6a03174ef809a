import ConfigurationModel
import Yams

/// A mapping's known keys, and how messages name them.
struct Fields {
    struct Entry {
        let key: String
        let location: DocumentLocation
        let value: Node
    }

    let subject: Subject
    let location: DocumentLocation
    private let entries: [Entry]

    init(_ subject: Subject, at location: DocumentLocation, _ entries: [Entry]) {
        self.subject = subject
        self.location = location
        self.entries = entries
    }

    subscript(key: String) -> Entry? {
        entries.firstIndex { $0.key == key }.map { entries[$0] }
    }

    func name(_ key: String) -> String { subject.name(key) }
}

extension Node {
    /// The kind of a node, for messages: its text in quotes, `empty`, `a list` or `a mapping`.
    var kind: String {
        switch self {
        case .scalar(let scalar): scalar.string.isEmpty ? "empty" : Spelling.quoted(scalar.string)
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .alias: "an alias"
        }
    }
}
