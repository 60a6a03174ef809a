import Yams

/// What the lists `nodes`, `pools`, `policies`, `zones` and `tailored` have in common: entries told apart by one key.
extension ConfigurationReader {
    /// One of the lists, its entries' word in messages and their identifying key.
    struct Section {
        let key: String
        let word: String
        let identifier: String
        let known: [String]
        let identifierExample: String
        /// How to write the whole list.
        let example: String
    }

    /// An entry of a list.
    struct Entry {
        let fields: Fields
        /// What the file gives as its id, origin or name, valid or not.
        let identifier: Identifier
        /// Its name in messages, as `node "fra1"`.
        var owner: String { fields.owner }
    }

    /// An entry's identifying text and its place.
    struct Identifier {
        let text: String
        let mark: SourceMark
    }

    /// The entries of a list that name themselves. An absent list has none, one that is there and empty is a problem.
    mutating func entries(_ section: Section, in root: Fields) -> [Entry] {
        guard let node = root[section.key],
            let elements = list(node, name: section.key, of: section.word, example: section.example)
        else { return [] }
        return elements.indices.compactMap { entry(elements[$0], position: $0 + 1, in: section) }
    }

    private mutating func entry(_ node: Node, position: Int, in section: Section) -> Entry? {
        let place = "entry \(position) of \(section.key)"
        let given = node.mapping?.first { $0.key.scalar?.string == section.identifier }?.value
        let owner = given?.scalar.map { "\(section.word) \(Spelling.quoted($0.string))" } ?? place
        guard let fields = fields(node, name: owner, prefix: "", owner: owner, known: section.known),
            let identifier = required(
                section.identifier, in: fields, example: "\(section.identifier): \(section.identifierExample)"),
            let text = text(identifier, name: "\(section.identifier) of \(place)", expected: "a name")
        else { return nil }
        return Entry(fields: fields, identifier: Identifier(text: text, mark: identifier.place))
    }

    /// The entries whose ids are well formed and not taken by an earlier entry.
    mutating func distinct(_ entries: [Entry], in section: Section) -> [Entry] {
        var first: [String: SourceMark] = [:]
        return entries.filter { entry in
            let (text, mark) = (entry.identifier.text, entry.identifier.mark)
            guard Self.isID(text) else {
                report(
                    mark,
                    "\(section.word) id \(Spelling.quoted(text)) is not well formed, expected 1 to 63 letters, digits, "
                        + "dots, hyphens or underscores: rename it")
                return false
            }
            if let earlier = first[text] {
                report(mark, "\(entry.owner) is defined twice, first at line \(earlier.line): remove or rename one")
                return false
            }
            first[text] = mark
            return true
        }
    }

    /// Reads the id of an entry elsewhere; `known` are the ids that the file defines.
    mutating func reference(
        _ node: Node, from owner: String, to section: Section, known: KnownIdentifiers
    ) -> String? {
        guard let text = text(node, name: "\(section.word) of \(owner)", expected: "the id of a \(section.word)")
        else { return nil }
        guard known.contains(text) else {
            report(
                node.place,
                "\(owner) names \(section.word) \(Spelling.quoted(text)), which is not among \(section.key) "
                    + "(\(Spelling.excerpt(known.texts))): add it under \(section.key) or correct the spelling")
            return nil
        }
        return text
    }

    static func isID(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// The ids that a list defines, in its order and for quick lookup.
struct KnownIdentifiers {
    let texts: [String]
    private let set: Set<String>

    init(_ entries: [ConfigurationReader.Entry]) {
        texts = entries.map(\.identifier.text)
        set = Set(texts)
    }

    func contains(_ text: String) -> Bool { set.contains(text) }
}
