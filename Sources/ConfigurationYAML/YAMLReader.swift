import ConfigurationModel
import Yams

/// Turns the nodes of a YAML document into a declaration: keys into properties, scalars into text, numbers and
/// booleans.
///
/// It reports problems that are visible in the YAML alone: unknown keys, and values of the wrong type. The rules check
/// what values mean. Reading continues after a problem, so that one run reports everything.
///
/// Where several files have the same key, lists are joined, mappings are merged key by key, and any other value is a
/// problem: it may be given once.
struct YAMLReader {
    /// The file that has the node being read.
    private(set) var file: FileName
    private(set) var problems: [ConfigurationError.Problem] = []

    init(file: FileName) {
        self.file = file
    }

    mutating func report(_ location: DocumentLocation, _ message: String, remedy: String) {
        problems.append(ConfigurationError.Problem(at: location, message, remedy: remedy))
    }

    /// The location of the node's start.
    func location(_ node: Node) -> DocumentLocation {
        .text(file, TextPosition(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1))
    }

    // MARK: - Mappings

    /// Reads a mapping and reports unknown keys.
    ///
    /// - Parameters:
    ///   - name: name of the mapping itself.
    ///   - subject: names its keys in messages.
    ///   - known: the allowed keys.
    ///   - shown: the keys that a message lists, if only some apply to a mapping of this kind.
    mutating func fields(
        _ node: Node, name: @autoclosure Words, _ subject: Subject, known: [String], shown: [String]? = nil
    ) -> Fields? {
        guard let mapping = node.mapping else {
            let shape = known.map { "\($0): …" }.joined(separator: ", ")
            report(
                location(node), "\(name()) is \(node.kind), expected a mapping", remedy: "write it as {\(shape)}")
            return nil
        }
        var entries: [Fields.Entry] = []
        for (key, value) in mapping {
            guard let text = key.scalar?.string, known.contains(text) else {
                let known = shown ?? known
                let suggestion = key.scalar.flatMap { Spelling.nearest(to: $0.string, among: known) }
                problems.append(
                    UnknownKey.problem(
                        at: location(key), key.kind, in: name(), known: known, suggestion: suggestion))
                continue
            }
            entries.append(Fields.Entry(key: text, location: location(key), value: value, file: file))
        }
        return Fields(subject, at: location(node), entries)
    }

    /// The mapping at `key`.
    mutating func mapping<Declaration>(
        _ key: String, in fields: Fields, known: [String],
        _ read: (inout YAMLReader, Fields) -> Declaration
    ) -> Declared<Declaration> {
        let entries = fields.all(key)
        guard let first = entries.first else { return .absent }
        let parts = entries.map { entry in
            reading(entry) { reader in
                reader.fields(entry.value, name: fields.name(key), fields.subject.nested(key), known: known)
            }
        }
        guard let joined = Fields(joining: parts.compactMap(\.self)), !parts.contains(where: { $0 == nil }) else {
            return .unreadable
        }
        let value = reading(first) { read(&$0, joined) }
        return Declared(value, at: joined.location, key: first.location)
    }

    /// The mapping at `key`, or the word `off`.
    mutating func switchable<Declaration>(
        _ key: String, in fields: Fields, known: [String],
        _ read: (inout YAMLReader, Fields) -> Declaration
    ) -> Declared<Switchable<Declaration>> {
        let isOff = fields.all(key).contains { $0.value.scalar?.string == "off" }
        if isOff { return declared(key, in: fields) { $1.scalar?.string == "off" ? .off : nil } }
        return mapping(key, in: fields, known: known) { .on(read(&$0, $1)) }
    }

    /// The value at `key`, converted by `read`, which returns `nil` after a problem.
    mutating func declared<Value>(
        _ key: String, in fields: Fields, _ read: (inout YAMLReader, Node) -> Value?
    ) -> Declared<Value> {
        let entries = fields.all(key)
        guard let entry = entries.first else { return .absent }
        guard entries.count == 1 else {
            let first = entry.location
            for later in entries.dropFirst() {
                report(
                    later.location,
                    "\(fields.name(key)) is given twice, first at \(first.reference(from: later.location)), expected once",
                    remedy: "remove one")
            }
            return .unreadable
        }
        return reading(entry) { reader in
            guard let value = read(&reader, entry.value) else { return .unreadable }
            return Declared(value, at: reader.location(entry.value), key: entry.location)
        }
    }

    /// Reads a value in the file that has it.
    private mutating func reading<Result>(_ entry: Fields.Entry, _ read: (inout YAMLReader) -> Result) -> Result {
        let outer = file
        file = entry.file
        defer { file = outer }
        return read(&self)
    }

    /// The keys at the top level of a file.
    mutating func root(_ node: Node, of file: FileName) -> Fields? {
        self.file = file
        return fields(node, name: "", .root, known: ConfigurationDeclaration.keys + [Self.includeKey])
    }

    /// The key at the top level that names further files. The declaration does not have it: other sources of a
    /// configuration have no files.
    static let includeKey = "include"

    /// The values of `include` in one file: a list, or one text.
    mutating func includes(_ root: Fields) -> [Located<String>] {
        let declared: DeclaredList<String>
        if root[Self.includeKey]?.value.sequence == nil {
            declared = self.declared(Self.includeKey, in: root) { reader, node in
                reader.text(node, name: Self.includeKey, "a path or a list of paths").map {
                    [Declared($0, at: reader.location(node))]
                }
            }
        } else {
            declared = texts(Self.includeKey, in: root, .include, Expected.path)
        }
        return declared.located?.value.compactMap(\.located) ?? []
    }

    // MARK: - Lists

    /// The list at `key`. `read` converts a node and its number, from 1, into an element.
    mutating func list<Element>(
        _ key: String, in fields: Fields, _ form: ListForm,
        _ read: (inout YAMLReader, Node, Int) -> Element?
    ) -> DeclaredList<Element> {
        let entries = fields.all(key)
        guard let first = entries.first else { return .absent }
        var elements: [Declared<Element>]? = []
        for entry in entries {
            let before = elements?.count ?? 0
            let part = reading(entry) { reader in
                reader.elements(entry.value, name: fields.name(key), form) { read(&$0, $1, $2 + before) }
            }
            if let part { elements?.append(contentsOf: part) } else { elements = nil }
        }
        guard let elements else { return .unreadable }
        return Declared(elements, at: reading(first) { $0.location(first.value) }, key: first.location)
    }

    mutating func elements<Element>(
        _ node: Node, name: @autoclosure Words, _ form: ListForm, _ read: (inout YAMLReader, Node, Int) -> Element?
    ) -> [Declared<Element>]? {
        guard let sequence = node.sequence else {
            report(location(node), "\(name()) is \(node.kind), expected a list", remedy: "write \(form.example)")
            return nil
        }
        return sequence.enumerated().map { index, node in
            read(&self, node, index + 1).map { Declared($0, at: location(node)) } ?? .unreadable
        }
    }

    /// A list of texts. `entry` names one of them.
    mutating func texts(
        _ key: String, in fields: Fields, _ form: ListForm, _ expected: @autoclosure Words, entry: Words? = nil
    ) -> DeclaredList<String> {
        list(key, in: fields, form) { reader, node, _ in
            reader.text(node, name: entry?() ?? "an entry of \(fields.name(key))", expected())
        }
    }

    /// A list of ids of `section`.
    mutating func references(
        _ key: String, in fields: Fields, _ form: ListForm, to section: Section
    ) -> DeclaredList<String> {
        let name = { "\(section.word) of \(fields.subject.owner)" }
        return texts(key, in: fields, form, Expected.reference(to: section), entry: name)
    }

    mutating func integers(
        _ key: String, in fields: Fields, _ form: ListForm, _ number: WholeNumber
    ) -> DeclaredList<Int> {
        list(key, in: fields, form) { reader, node, _ in
            reader.integer(node, name: "an entry of \(fields.name(key))", number)
        }
    }

    // MARK: - Scalars

    mutating func text(_ key: String, in fields: Fields, _ expected: @autoclosure Words) -> Declared<String> {
        declared(key, in: fields) { $0.text($1, name: fields.name(key), expected()) }
    }

    /// The id of an entry of `section`.
    mutating func reference(
        _ key: String, in fields: Fields, to section: Section, owner: @autoclosure Words
    ) -> Declared<String> {
        declared(key, in: fields) {
            $0.text($1, name: "\(section.word) of \(owner())", Expected.reference(to: section))
        }
    }

    mutating func integer(_ key: String, in fields: Fields, _ form: WholeNumber) -> Declared<Int> {
        declared(key, in: fields) { $0.integer($1, name: fields.name(key), form) }
    }

    /// The text of a number that may have decimals.
    mutating func decimal(_ key: String, in fields: Fields, _ expected: @autoclosure Words) -> Declared<String> {
        declared(key, in: fields) { $0.number($1, name: fields.name(key), expected()) }
    }

    /// `true` or `false`.
    mutating func flag(_ key: String, in fields: Fields) -> Declared<Bool> {
        declared(key, in: fields) { reader, node in
            let expected = "true or false"
            guard let text = reader.number(node, name: fields.name(key), expected) else { return nil }
            switch text {
            case "true": return true
            case "false": return false
            default:
                reader.report(
                    reader.location(node), "\(fields.name(key)) is \(node.kind), expected \(expected)",
                    remedy: "write one of them")
                return nil
            }
        }
    }

    mutating func text(_ node: Node, name: @autoclosure Words, _ expected: @autoclosure Words) -> String? {
        scalar(node, name: name(), expected())?.string
    }

    /// A whole number in decimal digits, without quotes.
    private mutating func integer(_ node: Node, name: @autoclosure Words, _ form: WholeNumber) -> Int? {
        guard let text = number(node, name: name(), form.expected) else { return nil }
        guard let value = Int(text) else {
            report(location(node), "\(name()) is \(node.kind), expected \(form.expected)", remedy: "change it")
            return nil
        }
        return value
    }

    /// The text of a number: a scalar without quotes.
    private mutating func number(_ node: Node, name: @autoclosure Words, _ expected: @autoclosure Words) -> String? {
        guard let scalar = scalar(node, name: name(), expected()) else { return nil }
        guard scalar.style == .plain || scalar.style == .any else {
            report(
                location(node), "\(name()) is the text \(node.kind), expected \(expected())",
                remedy: "remove the quotes")
            return nil
        }
        return scalar.string
    }

    private mutating func scalar(_ node: Node, name: @autoclosure Words, _ expected: @autoclosure Words) -> Node.Scalar?
    {
        guard let scalar = node.scalar else {
            report(location(node), "\(name()) is \(node.kind), expected \(expected())", remedy: "write a single value")
            return nil
        }
        // Tags (`!include`, `!!binary`) would be ignored: rejecting them is better than a wrong value.
        let tag = scalar.tag.rawValue
        guard tag == Tag.Name.implicit.rawValue || tag == Tag.Name.str.rawValue else {
            report(location(node), "\(name()) has the tag \(tag), expected \(expected())", remedy: "remove the tag")
            return nil
        }
        return scalar
    }
}
