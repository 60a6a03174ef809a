import ConfigurationModel
import Yams

/// The text of a configuration file.
struct YAMLDocument {
    let file: FileName

    /// The mapping in `yaml`. `nil` if the text is empty.
    ///
    /// - Throws: why the text is no mapping: nothing in it can be read then.
    func mapping(_ yaml: String) throws(ConfigurationError.Problem) -> Node? {
        guard let document = try compose(yaml) else { return nil }
        guard document.mapping != nil else {
            let mark = TextPosition(line: document.mark?.line ?? 1, column: document.mark?.column ?? 1)
            throw failure(
                mark, "the file holds \(document.kind), expected a mapping with at least listen and zones",
                remedy: "see docs/configuration.md")
        }
        return document
    }

    /// Nothing is in the file.
    var empty: ConfigurationError.Problem {
        failure(
            .start, "the file is empty, expected a mapping with at least listen and zones",
            remedy: "see docs/configuration.md")
    }

    private func compose(_ yaml: String) throws(ConfigurationError.Problem) -> Node? {
        // A byte order mark is not part of the text: it would shift the columns of the first line.
        let text = yaml.unicodeScalars.first == "\u{FEFF}" ? String(yaml.unicodeScalars.dropFirst()) : yaml
        if let shared = YAMLSharing.first(in: text) {
            throw failure(
                shared.position, "\(Spelling.quoted(shared.text)) is a YAML anchor or alias, expected none",
                remedy: "write the value out")
        }
        do {
            // No resolver rules: `NO` is a country and `off` a mode, not booleans. The reader assigns types to values.
            return try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch let error as YamlError {
            let (position, message, remedy) = error.explanation
            throw failure(position, message, remedy: remedy)
        } catch {
            throw failure(.start, "the text is not YAML (\(error))", remedy: "correct it")
        }
    }

    private func failure(_ position: TextPosition, _ message: String, remedy: String) -> ConfigurationError.Problem {
        ConfigurationError.Problem(at: .text(file, position), message, remedy: remedy)
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
