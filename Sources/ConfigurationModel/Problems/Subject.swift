/// Part of a message, built only when it is needed.
package typealias Words = () -> String

/// How messages name a mapping and its keys. Readers and rules share it, so that both name a value alike.
///
/// Names are built only when a message needs them: almost all values have no problem.
package struct Subject: Hashable, Sendable {
    /// The owner of the keys.
    private indirect enum Owner: Hashable {
        /// The top level.
        case none
        /// The word for an entry of a list, and its name.
        case named(String, String)
        /// A description of an entry.
        case described(String)
        /// An entry of the list at a key.
        case entry(key: String, Subject)
        /// The word for an element of a list, and its name or number.
        case part(String, Subject)
        case member(id: String, Subject)
    }

    /// A prefix of the key, such as `ttl.` in `ttl.min`.
    private let prefix: String
    private let ownership: Owner

    private init(prefix: String = "", _ ownership: Owner) {
        self.prefix = prefix
        self.ownership = ownership
    }

    /// The top level of a configuration.
    package static let root = Subject(.none)

    /// The owner of the keys in messages, such as `policy "nearest"`. Empty at the top level.
    package var owner: String {
        switch ownership {
        case .none: ""
        case .named(let word, let name): "\(word) \(Spelling.quoted(name))"
        case .described(let description): description
        case .entry(let key, let outer): "an entry of \(outer.name(key))"
        case .part(let part, let outer): outer.owner.isEmpty ? part : "\(part) of \(outer.owner)"
        case .member(let id, let pool): "node \(Spelling.quoted(id)) in \(pool.owner)"
        }
    }

    /// `ttl.min of policy "nearest"`.
    package func name(_ key: String) -> String {
        let owner = owner
        return owner.isEmpty ? prefix + key : "\(prefix)\(key) of \(owner)"
    }

    /// The mapping at `key`, whose keys are named with their path.
    package func nested(_ key: String) -> Subject { Subject(prefix: "\(prefix)\(key).", ownership) }

    // MARK: - Elements of lists

    /// An entry of the list at `key`.
    package func entry(of key: String) -> Subject { Subject(.entry(key: key, self)) }

    /// A check in a list. `number` starts at 1.
    package func check(_ number: Int) -> Subject { Subject(.part("check \(number)", self)) }

    /// A hook in a list. `number` starts at 1.
    package func hook(_ number: Int) -> Subject { Subject(.part("hook \(number)", self)) }

    /// A rule of a policy. `number` starts at 1.
    package func rule(_ number: Int) -> Subject { Subject(.part("rule \(number)", self)) }

    /// A node of a pool. `nil` if it has no id.
    package func member(_ id: String?) -> Subject {
        id.map { Subject(.member(id: $0, self)) } ?? entry(of: "nodes")
    }

    /// A view of a tailored name.
    package func view(_ id: String) -> Subject { Subject(.part("view \(Spelling.quoted(id))", self)) }

    /// An entry of `section`. `number` starts at 1.
    fileprivate static func entry(_ identifier: String?, of section: Section, number: Int) -> Subject {
        Subject(identifier.map { .named(section.word, $0) } ?? .described(section.position(number)))
    }
}

/// A list at the top level whose entries have ids or names.
package struct Section: Sendable {
    package let key: String
    /// The word for an entry, such as `node`.
    package let word: String
    /// The key that names an entry.
    package let identifier: String
    package let identifierExample: String
    /// An example of the whole list.
    package let example: String

    package var list: ListForm { ListForm(of: word, example: example) }

    /// An entry in messages: `node "fra1"`, or its number from 1 if it has no name.
    package func subject(_ identifier: String?, number: Int) -> Subject {
        .entry(identifier, of: self, number: number)
    }

    package func position(_ number: Int) -> String { "entry \(number) of \(key)" }
}

extension Section {
    package static let nodes = Section(
        key: "nodes", word: "node", identifier: "id", identifierExample: "fra1",
        example: "nodes: [{id: fra1, addresses: [198.51.100.10], location: {latitude: 50.11, longitude: 8.68}}]")
    package static let pools = Section(
        key: "pools", word: "pool", identifier: "id", identifierExample: "web",
        example: "pools: [{id: web, nodes: [fra1]}]")
    package static let regions = Section(
        key: "regions", word: "region", identifier: "id", identifierExample: "europe",
        example: "regions: [{id: europe, nodes: [fra1, ams1], threshold: 70}]")
    package static let policies = Section(
        key: "policies", word: "policy", identifier: "id", identifierExample: "nearest",
        example: "policies: [{id: nearest, strategy: nearest}]")
    package static let views = Section(
        key: "views", word: "view", identifier: "id", identifierExample: "overlay",
        example: "views: [{id: overlay, clients: [10.0.0.0/8], addresses: overlay}]")
    package static let zones = Section(
        key: "zones", word: "zone", identifier: "origin", identifierExample: "example.com",
        example: "zones: [{origin: example.com, file: zones/example.com.zone}]")
    package static let aliases = Section(
        key: "aliases", word: "alias", identifier: "name", identifierExample: "example.com",
        example: "aliases: [{name: example.com, target: example.cdn.net}]")
    package static let tailored = Section(
        key: "tailored", word: "tailored name", identifier: "name", identifierExample: "www.example.com",
        example: "tailored: [{name: www.example.com, pool: web, policy: nearest}]")
}
