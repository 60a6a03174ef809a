import ConfigurationModel
import Yams

/// A mapping's known keys, and how messages name them. Mappings of several files may be joined into one.
struct Fields {
    struct Entry {
        let key: String
        let location: DocumentLocation
        let value: Node
        /// The file that has the key.
        let file: FileName
    }

    let subject: Subject
    let location: DocumentLocation
    private let entries: [Entry]

    init(_ subject: Subject, at location: DocumentLocation, _ entries: [Entry]) {
        self.subject = subject
        self.location = location
        self.entries = entries
    }

    /// One mapping of several, with the keys of all. `nil` if there is none.
    init?(joining all: [Fields]) {
        guard let first = all.first else { return nil }
        self.init(first.subject, at: first.location, all.flatMap(\.entries))
    }

    subscript(key: String) -> Entry? {
        entries.firstIndex { $0.key == key }.map { entries[$0] }
    }

    /// The key in each file that has it.
    func all(_ key: String) -> [Entry] { entries.filter { $0.key == key } }

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
