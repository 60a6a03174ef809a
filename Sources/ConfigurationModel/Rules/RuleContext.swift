/// What the rules of one document share: how the document is named, and the problems found so far.
///
/// It is a class, so that every group of rules adds to one list.
final class RuleContext {
    /// The document's name in messages.
    let document: String
    /// Absolute. Relative paths start from it.
    let baseFolder: String
    private(set) var problems: [ConfigurationError.Problem] = []

    init(document: String, baseFolder: String) {
        self.document = document
        self.baseFolder = baseFolder
    }

    func report(_ problem: ConfigurationError.Problem) { problems.append(problem) }

    /// `path` itself if it starts with a slash, otherwise a path below the base folder.
    func absolute(_ path: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return baseFolder.hasSuffix("/") ? baseFolder + relative : "\(baseFolder)/\(relative)"
    }
}

/// A mapping: how messages name its keys, and its location.
struct Scope {
    let subject: Subject
    let location: DocumentLocation

    init(_ subject: Subject, at location: DocumentLocation) {
        self.subject = subject
        self.location = location
    }

    /// The owner of the keys, such as `node "fra1"`.
    var owner: String { subject.owner }

    func name(_ key: String) -> String { subject.name(key) }

    /// The mapping `value` at `key`.
    func nested<Value>(_ key: String, _ value: Located<Value>) -> Scope {
        Scope(subject.nested(key), at: value.location)
    }
}
