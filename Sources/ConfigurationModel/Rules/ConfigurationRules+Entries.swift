/// Shared rules of the top-level lists, whose entries are identified by one key.
extension ConfigurationRules {
    /// An entry of a list.
    struct Entry<Declaration: Sendable> {
        /// The list, and the entry's index in it: an entry uses no memory for its declaration.
        private let list: [Declared<Declaration>]
        private let index: Int
        let scope: Scope
        /// Its id, origin or name, valid or not.
        let identifier: Identifier

        init(_ list: [Declared<Declaration>], _ index: Int, _ scope: Scope, _ identifier: Identifier) {
            (self.list, self.index, self.scope, self.identifier) = (list, index, scope, identifier)
        }

        var declaration: Declaration {
            guard let element = list[index].located else {
                preconditionFailure("an entry is made of an element that could be read")
            }
            return element.value
        }

        /// Its number in the list, from 1.
        var number: Int { index + 1 }
        /// Its name in messages, such as `node "fra1"`.
        var owner: String { scope.owner }
        var location: DocumentLocation { scope.location }
        func name(_ key: String) -> String { scope.name(key) }
    }

    typealias Identifier = Located<String>

    /// The entries of a list that have an id, origin or name.
    mutating func entries<Declaration>(
        _ declared: DeclaredList<Declaration>, _ section: Section,
        by identifier: (Declaration) -> Declared<String>
    ) -> [Entry<Declaration>] {
        guard let list = declared.located else { return [] }
        requireElements(list.value, at: list.location, section.key, section.list)
        return list.value.enumerated().compactMap { index, element in
            guard let element = element.located else { return nil }
            let given = identifier(element.value)
            let number = index + 1
            let scope = Scope(
                section.subject(given.located?.value, number: number), at: element.location)
            let example = "\(section.identifier): \(section.identifierExample)"
            guard let text = required(given, section.identifier, in: scope, example: example),
                let line = line(text, "\(section.identifier) of \(section.position(number))", Expected.name)
            else { return nil }
            return Entry(list.value, index, scope, line)
        }
    }

    /// The entries whose ids are well formed and not used by an earlier entry.
    mutating func distinct<Declaration>(
        _ entries: [Entry<Declaration>], in section: Section
    ) -> [Entry<Declaration>] {
        var first: [String: DocumentLocation] = [:]
        return entries.filter { entry in
            let id = entry.identifier
            guard Self.isID(id.value) else {
                report(
                    id.location, "\(section.word) id \(id.quoted) is not well formed, expected \(Expected.word)",
                    remedy: "rename it")
                return false
            }
            if let earlier = first[id.value] {
                report(
                    id.location, "\(entry.owner) is defined twice, first at \(earlier.reference)",
                    remedy: "remove or rename one")
                return false
            }
            first[id.value] = id.location
            return true
        }
    }

    /// A reference to an entry. `known` are the ids that the declaration defines. `nil` after a problem.
    mutating func reference(
        _ text: Located<String>, from owner: @autoclosure Words, to section: Section, known: KnownIdentifiers
    ) -> String? {
        guard let id = line(text, "\(section.word) of \(owner())", Expected.reference(to: section)) else { return nil }
        guard known.contains(id.value) else {
            report(
                id.location,
                "\(owner()) names \(section.word) \(id.quoted), which is not among \(section.key) "
                    + "(\(Spelling.excerpt(known.texts)))",
                remedy: "add it under \(section.key) or correct the spelling")
            return nil
        }
        return id.value
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

/// The ids that a list defines, in order and for lookup.
struct KnownIdentifiers {
    let texts: [String]
    private let set: Set<String>

    init<Declaration>(_ entries: [ConfigurationRules.Entry<Declaration>]) {
        texts = entries.map(\.identifier.value)
        set = Set(texts)
    }

    func contains(_ text: String) -> Bool { set.contains(text) }
}
