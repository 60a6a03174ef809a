import Yams

/// A mapping's known keys, with the words that name them in messages.
struct Fields {
    struct Entry {
        let key: String
        let mark: SourceMark
        let value: Node
    }

    let mark: SourceMark
    /// What stands before a key in messages, as `ttl.` in `ttl.min`.
    let prefix: String
    /// What a key belongs to in messages, as `policy "nearest"`; empty at the top level.
    let owner: String
    let entries: [Entry]

    subscript(key: String) -> Node? {
        entries.first { $0.key == key }?.value
    }

    /// `ttl.min of policy "nearest"`.
    func name(_ key: String) -> String {
        owner.isEmpty ? prefix + key : "\(prefix)\(key) of \(owner)"
    }
}

extension Node {
    /// Where the node starts.
    var place: SourceMark {
        mark.map { SourceMark(line: $0.line, column: $0.column) } ?? SourceMark(line: 1, column: 1)
    }

    /// What the node is, for messages: its text in quotes, `empty`, `a list` or `a mapping`.
    var kind: String {
        switch self {
        case .scalar(let scalar): scalar.string.isEmpty ? "empty" : Spelling.quoted(scalar.string)
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .alias: "an alias"
        }
    }
}
