import DNSWire

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

/// The rules of the top-level lists, whose entries are identified by one key.
protocol EntryRules: ValueRules {}

extension EntryRules {
    /// The entries of a list that have an id, origin or name.
    func entries<Declaration>(
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
    func distinct<Declaration>(
        _ entries: [Entry<Declaration>], in section: Section
    ) -> [Entry<Declaration>] {
        var first: [String: DocumentLocation] = [:]
        return entries.filter { entry in
            let id = entry.identifier
            guard Spelling.isID(id.value) else {
                report(
                    id.location, "\(section.word) id \(id.quoted) is not well formed, expected \(Expected.word)",
                    remedy: "rename it")
                return false
            }
            if let earlier = first[id.value] {
                report(
                    id.location,
                    "\(entry.owner) is defined twice, first at \(earlier.reference(from: id.location))",
                    remedy: "remove or rename one")
                return false
            }
            first[id.value] = id.location
            return true
        }
    }

    /// The entries with a valid domain name that no earlier entry has.
    func distinctNames<Declaration>(
        _ entries: [Entry<Declaration>], in section: Section
    ) -> [(Entry<Declaration>, DomainName)] {
        var first: [DomainName: DocumentLocation] = [:]
        return entries.compactMap { entry in
            let mark = entry.identifier.location
            let name: DomainName
            do {
                name = try DomainName(entry.identifier.value)
            } catch {
                report(
                    mark, "\(entry.owner) is not a domain name (\(error))", remedy: "correct the \(section.identifier)")
                return nil
            }
            if let earlier = first[name] {
                report(
                    mark, "\(entry.owner) is defined twice, first at \(earlier.reference(from: mark))",
                    remedy: "remove one")
                return nil
            }
            first[name] = mark
            return (entry, name)
        }
    }

    /// A reference to an entry. `known` are the ids that the declaration defines. `nil` after a problem.
    func reference(
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
}
