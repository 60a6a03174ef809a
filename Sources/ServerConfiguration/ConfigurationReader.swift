import Yams

/// Turns the nodes of a YAML document into settings and collects what is wrong on the way.
///
/// Every step goes on after a problem where that makes sense, so that one run shows everything; a step returns `nil`
/// for what it could not read, and references are checked against what the file names, valid or not, so that one
/// mistake is reported once.
struct ConfigurationReader {
    let file: String
    /// Absolute; what relative paths in the file are relative to.
    let baseFolder: String
    private(set) var problems: [ConfigurationError.Problem] = []

    init(file: String, baseFolder: String) {
        self.file = file
        self.baseFolder = baseFolder
    }

    mutating func report(_ mark: SourceMark, _ message: String) {
        problems.append(ConfigurationError.Problem(file: file, at: mark, message: message))
    }

    // MARK: - Mappings

    /// Reads a mapping, reporting keys that are not in `known`. `name` is the mapping's own name in messages.
    mutating func fields(
        _ node: Node, name: String, prefix: String, owner: String, known: [String]
    ) -> Fields? {
        guard let mapping = node.mapping else {
            let shape = known.map { "\($0): …" }.joined(separator: ", ")
            report(node.place, "\(name) is \(node.kind), expected a mapping: write it as {\(shape)}")
            return nil
        }
        var values: [Fields.Entry] = []
        for (key, value) in mapping {
            guard let text = key.scalar?.string, known.contains(text) else {
                reportUnknown(key: key, name: name, known: known)
                continue
            }
            values.append(Fields.Entry(key: text, mark: key.place, value: value))
        }
        return Fields(mark: node.place, prefix: prefix, owner: owner, entries: values)
    }

    private mutating func reportUnknown(key: Node, name: String, known: [String]) {
        let suggestion = key.scalar.flatMap { Spelling.nearest(to: $0.string, among: known) }
        let remedy = suggestion.map { "did you mean \($0)?" } ?? "remove it or correct the spelling"
        let place = name.isEmpty ? "at the top level" : "in \(name)"
        report(
            key.place,
            "unknown key \(key.kind) \(place), expected \(Spelling.alternatives(known)): \(remedy)")
    }

    /// The value of a key that must be there; `example` shows how to write it.
    mutating func required(_ key: String, in fields: Fields, example: String) -> Node? {
        if let node = fields[key] { return node }
        report(fields.mark, "\(fields.name(key)) is missing: add \(example)")
        return nil
    }

    // MARK: - Lists

    /// Reads a list of at least one element; `element` is the word for one.
    mutating func list(_ node: Node, name: String, of element: String, example: String) -> [Node]? {
        guard let sequence = node.sequence else {
            report(node.place, "\(name) is \(node.kind), expected a list: write \(example)")
            return nil
        }
        guard !sequence.isEmpty else {
            report(node.place, "\(name) is an empty list, expected at least one \(element): write \(example)")
            return nil
        }
        return Array(sequence)
    }

    // MARK: - Scalars

    /// Reads one line of text that is not empty.
    mutating func text(_ node: Node, name: String, expected: String) -> String? {
        guard let scalar = scalar(node, name: name, expected: expected) else { return nil }
        guard !scalar.string.isEmpty else {
            report(node.place, "\(name) is empty, expected \(expected): give it a value")
            return nil
        }
        guard scalar.string.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            report(
                node.place, "\(name) is \(node.kind), expected \(expected) on one line: remove the control characters")
            return nil
        }
        return scalar.string
    }

    /// Reads a whole number in decimal digits, without quotes.
    mutating func integer(_ node: Node, name: String, in range: ClosedRange<Int>, unit: String = "") -> Int? {
        let suffix = unit.isEmpty ? "" : " \(unit)"
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)\(suffix)"
        guard let scalar = number(node, name: name, expected: expected) else { return nil }
        guard let value = Int(scalar), range.contains(value) else {
            report(node.place, "\(name) is \(node.kind), expected \(expected): change it")
            return nil
        }
        return value
    }

    /// Reads the text of a number: a scalar without quotes.
    mutating func number(_ node: Node, name: String, expected: String) -> String? {
        guard let scalar = scalar(node, name: name, expected: expected) else { return nil }
        guard scalar.style == .plain || scalar.style == .any else {
            report(node.place, "\(name) is the text \(node.kind), expected \(expected): remove the quotes")
            return nil
        }
        return scalar.string
    }

    /// Reads `true` or `false`.
    mutating func boolean(_ node: Node, name: String) -> Bool? {
        guard let text = number(node, name: name, expected: "true or false") else { return nil }
        switch text {
        case "true": return true
        case "false": return false
        default:
            report(node.place, "\(name) is \(node.kind), expected true or false: write one of them")
            return nil
        }
    }

    /// Reads one of an enumeration's words.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ node: Node, name: String, of type: Choice.Type = Choice.self
    ) -> Choice? {
        let words = Choice.allCases.map(\.rawValue)
        let expected = Spelling.alternatives(words)
        guard let text = text(node, name: name, expected: expected) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let remedy = Spelling.nearest(to: text, among: words).map { "did you mean \($0)?" } ?? "use \(expected)"
        report(node.place, "\(name) is \(node.kind), expected \(expected): \(remedy)")
        return nil
    }

    mutating func scalar(_ node: Node, name: String, expected: String) -> Node.Scalar? {
        guard let scalar = node.scalar else {
            report(node.place, "\(name) is \(node.kind), expected \(expected): write a single value")
            return nil
        }
        // Tags (`!include`, `!!binary`) would be ignored: better said than misread.
        let tag = scalar.tag.rawValue
        guard tag == Tag.Name.implicit.rawValue || tag == Tag.Name.str.rawValue else {
            report(node.place, "\(name) has the tag \(tag), expected \(expected): remove the tag")
            return nil
        }
        return scalar
    }
}
