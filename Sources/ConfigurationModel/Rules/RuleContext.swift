/// What the rules of one document share: how the document is named, and the problems found so far.
///
/// It is a class, so that every group of rules adds to one list.
final class RuleContext {
    /// The document's name in messages.
    let document: String
    /// Absolute. Relative paths start from it.
    let baseFolder: String
    private let variables: PathVariables
    private(set) var problems: [ConfigurationError.Problem] = []

    init(document: String, baseFolder: String, variables: PathVariables) {
        self.document = document
        self.baseFolder = baseFolder
        self.variables = variables
    }

    func report(_ problem: ConfigurationError.Problem) { problems.append(problem) }

    /// The path in a document, with environment variables replaced. A relative one starts from the folder of its file.
    ///
    /// - Throws: the problem with a variable in it.
    func path(_ text: Located<String>, _ name: Words) throws(ConfigurationError.Problem) -> PathSetting {
        let path = try variables.expand(text, name)
        return PathSetting(
            path: PathVariables.absolute(path, in: text.location.folder ?? baseFolder), mark: text.location)
    }

    /// A path that no document names: a default, or the document itself.
    func absolute(_ path: String) -> String { PathVariables.absolute(path, in: baseFolder) }
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
