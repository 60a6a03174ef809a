public import ConfigurationModel
import Yams

extension ServerConfiguration {
    /// Reads the text of a configuration file and checks all of it.
    ///
    /// - Parameters:
    ///   - yaml: one YAML document.
    ///   - file: the file name for problems.
    ///   - baseFolder: the absolute path of the folder that relative paths start from.
    /// - Throws: every problem, sorted by location. A text that is not YAML, has an anchor or alias, or repeats a key
    ///   in a mapping has only that problem: nothing after it can be read.
    public static func parse(
        yaml: String, file: String, baseFolder: String
    ) throws(ConfigurationError) -> ServerConfiguration {
        // The YAML nodes are released before the rules run: those of a large file take more memory than everything
        // else.
        let (declaration, problems) = try YAMLDocument(file: FileName(file)).declaration(yaml)
        return try ServerConfiguration(declaration, document: file, baseFolder: baseFolder, found: problems)
    }
}

/// The text of a configuration file.
private struct YAMLDocument {
    let file: FileName

    /// Reads the declaration in `yaml`, and reports problems that are visible in the YAML alone.
    func declaration(
        _ yaml: String
    ) throws(ConfigurationError) -> (Located<ConfigurationDeclaration>, [ConfigurationError.Problem]) {
        let document = try compose(yaml)
        var reader = YAMLReader(file: file)
        let location = reader.location(document)
        guard document.mapping != nil else {
            throw failure(
                location, "the file holds \(document.kind), expected a mapping with at least listen and zones",
                remedy: "see docs/configuration.md")
        }
        let fields = reader.fields(document, name: "", .root, known: ConfigurationDeclaration.keys)
        let declaration = fields.map { reader.configuration($0) } ?? ConfigurationDeclaration()
        return (Located(declaration, at: location), reader.problems)
    }

    private func compose(_ yaml: String) throws(ConfigurationError) -> Node {
        // A byte order mark is not part of the text: it would shift the columns of the first line.
        let text = yaml.unicodeScalars.first == "\u{FEFF}" ? String(yaml.unicodeScalars.dropFirst()) : yaml
        if let shared = YAMLSharing.first(in: text) {
            throw failure(
                place(shared.position), "\(Spelling.quoted(shared.text)) is a YAML anchor or alias, expected none",
                remedy: "write the value out")
        }
        let document: Node?
        do {
            // No resolver rules: `NO` is a country and `off` a mode, not booleans. The reader assigns types to values.
            document = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch let error as YamlError {
            let (position, message, remedy) = error.explanation
            throw failure(place(position), message, remedy: remedy)
        } catch {
            throw failure(place(.start), "the text is not YAML (\(error))", remedy: "correct it")
        }
        guard let document else {
            throw failure(
                place(.start), "the file is empty, expected a mapping with at least listen and zones",
                remedy: "see docs/configuration.md")
        }
        return document
    }

    private func place(_ position: TextPosition) -> DocumentLocation { .text(file, position) }

    private func failure(_ location: DocumentLocation, _ message: String, remedy: String) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationError.Problem(at: location, message, remedy: remedy)])
    }
}

extension YamlError {
    /// The location, message and remedy of a problem found by the YAML parser.
    fileprivate var explanation: (TextPosition, String, String) {
        switch self {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
            let context = context.map { " \($0.text) from line \($0.mark.line)" } ?? ""
            return (
                TextPosition(line: mark.line, column: mark.column), "the YAML is malformed (\(problem)\(context))",
                "correct the syntax here or just before"
            )
        case .composer(let context, let problem, let mark, _):
            let context = context.map { "\($0.text), " } ?? ""
            return (
                TextPosition(line: mark.line, column: mark.column), "the YAML is malformed (\(context)\(problem))",
                "remove it"
            )
        case .reader(let problem, let offset, _, let yaml):
            return (
                TextPosition(after: offset ?? 0, charactersOf: yaml), "the YAML is malformed (\(problem))",
                "remove the character"
            )
        case .duplicatedKeysInMapping(let keys, let context):
            let names = keys.map(Spelling.quoted).joined(separator: ", ")
            return (
                TextPosition(line: max(1, context.mark.line), column: max(1, context.mark.column)),
                "key \(names) is given again later in the same mapping, expected each key once", "keep one of them"
            )
        default:
            return (.start, "the YAML cannot be read (\(self))", "correct the file")
        }
    }
}

extension TextPosition {
    fileprivate static let start = TextPosition(line: 1, column: 1)

    /// The position after the first `count` characters of `text`.
    fileprivate init(after count: Int, charactersOf text: String) {
        let before = text.prefix(count).unicodeScalars
        let line = before.count { $0 == "\n" } + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        self.init(line: line, column: column)
    }
}
