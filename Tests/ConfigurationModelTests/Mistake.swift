import ConfigurationModel
import Testing

/// One mistake, in the text of a file and in values.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// A problem that the mistake is.
    struct Problem: Sendable {
        /// Line and column in the file.
        let place: String
        let pointer: String
        /// Message and remedy; `@` stands for the location of the other value, where there is one.
        let words: String
        /// The same other value as both messages name it.
        let other: (line: String, pointer: String)

        init(
            _ place: String, _ pointer: String, _ words: String, other: (line: String, pointer: String) = ("", "")
        ) {
            self.place = place
            self.pointer = pointer
            self.words = words
            self.other = other
        }

        var inFile: String { "nearcast.yaml:\(place): \(words.replacing("@", with: other.line))" }
        var inMemory: String { "\(pointer): \(words.replacing("@", with: other.pointer))" }
    }

    let title: String
    let yaml: String
    let problems: [Problem]
    /// Makes the mistake in a declaration with ``InMemory/base``.
    let declare: @Sendable (inout ConfigurationDeclaration) -> Void

    init(
        _ title: String, yaml: String, _ problems: [Problem],
        _ declare: @escaping @Sendable (inout ConfigurationDeclaration) -> Void
    ) {
        self.title = title
        self.yaml = yaml
        self.problems = problems
        self.declare = declare
    }

    var testDescription: String { title }

    /// Lines 1 and 2 of every text.
    static let base = """
        listen: ["192.0.2.53:53"]
        zones: [{origin: example.com, file: e.zone}]

        """
    /// Lines 3 to 5.
    static let nodes = """
        nodes:
          - {id: fra1, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
          - {id: nyc1, addresses: [192.0.2.2], location: {latitude: 50.11, longitude: 8.68}}

        """

    /// What `nodes` says.
    static func addNodes(_ declaration: inout ConfigurationDeclaration) {
        declaration.nodes = InMemory.list(
            [InMemory.node(0, "fra1", "192.0.2.1"), InMemory.node(1, "nyc1", "192.0.2.2")], "/nodes")
    }
}
