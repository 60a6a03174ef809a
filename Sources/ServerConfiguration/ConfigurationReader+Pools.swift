import Yams

/// `pools`.
extension ConfigurationReader {
    static let poolSection = Section(
        key: "pools", word: "pool", identifier: "id", known: ["id", "nodes", "pools", "minimum", "health"],
        identifierExample: "web",
        example: "pools: [{id: web, nodes: [fra1]}]")

    mutating func pools(_ entries: [Entry], nodes known: KnownIdentifiers) -> [PoolSettings] {
        let pools = KnownIdentifiers(entries)
        let drafts = distinct(entries, in: Self.poolSection).compactMap { draft($0, nodes: known, pools: pools) }
        var tree = PoolTree(drafts)
        let settings = drafts.compactMap { tree.settings(of: $0) }
        for problem in tree.problems { report(problem.mark, problem.message) }
        return settings
    }

    private mutating func draft(_ entry: Entry, nodes: KnownIdentifiers, pools: KnownIdentifiers) -> PoolDraft? {
        var minimum: Int? = 1
        if let node = entry.fields["minimum"] {
            minimum = integer(node, name: entry.fields.name("minimum"), in: 1...ServerConfiguration.maximumNodes)
        }
        let content: PoolDraft.Content?
        if let node = entry.fields["pools"] {
            if let other = entry.fields.entries.first(where: { $0.key == "nodes" }) {
                report(
                    other.mark,
                    "\(entry.owner) has nodes and pools, expected one of them: make the nodes a pool of their own")
            }
            content = inner(node, of: entry, known: pools)
        } else {
            content = members(of: entry, known: nodes)
        }
        guard let content, let minimum else { return nil }
        return PoolDraft(
            id: entry.identifier.text, content: content,
            minimum: entry.fields["minimum"].map { PoolDraft.Minimum(count: minimum, mark: $0.place) },
            mark: entry.fields.mark)
    }

    private mutating func inner(_ node: Node, of entry: Entry, known: KnownIdentifiers) -> PoolDraft.Content? {
        let example = "pools: [europe, america]"
        guard let elements = list(node, name: entry.fields.name("pools"), of: "pool", example: example) else {
            return nil
        }
        let pools = elements.compactMap { element in
            reference(element, from: entry.owner, to: Self.poolSection, known: known)
                .map { Identifier(text: $0, mark: element.place) }
        }
        return unique(pools, of: entry, word: "pool", remedy: "remove one").map { .pools($0) }
    }

    private mutating func members(of entry: Entry, known: KnownIdentifiers) -> PoolDraft.Content? {
        guard let node = required("nodes", in: entry.fields, example: "nodes: [fra1]"),
            let elements = list(node, name: entry.fields.name("nodes"), of: "node", example: "nodes: [fra1, nyc1]")
        else { return nil }
        let members = elements.compactMap { member($0, owner: entry.owner, known: known) }
        let remedy = "remove one, and use weight to give it a larger share"
        let ids = members.map { Identifier(text: $0.node, mark: $0.mark) }
        guard let kept = unique(ids, of: entry, word: "node", remedy: remedy) else { return nil }
        let marks = Set(kept.map(\.mark))
        return .nodes(members.filter { marks.contains($0.mark) })
    }

    /// Those that no earlier one names; `nil` when there is none.
    private mutating func unique(_ all: [Identifier], of entry: Entry, word: String, remedy: String) -> [Identifier]? {
        var first: [String: SourceMark] = [:]
        let kept = all.filter { element in
            if let earlier = first[element.text] {
                report(
                    element.mark,
                    "\(entry.owner) has \(word) \(Spelling.quoted(element.text)) twice, first at line \(earlier.line): "
                        + remedy)
                return false
            }
            first[element.text] = element.mark
            return true
        }
        return kept.isEmpty ? nil : kept
    }

    /// Reads `fra1` or `{id: fra1, weight: 10}`.
    private mutating func member(_ node: Node, owner: String, known: KnownIdentifiers) -> PoolMember? {
        guard node.mapping != nil else {
            return reference(node, from: owner, to: Self.nodeSection, known: known)
                .map { PoolMember(node: $0, weight: 1, capacity: nil, bias: 0, mark: node.place) }
        }
        let name = "an entry of nodes of \(owner)"
        let keys = ["id", "weight", "capacity", "bias"]
        guard let fields = fields(node, name: name, prefix: "", owner: name, known: keys),
            let idNode = required("id", in: fields, example: "id: fra1"),
            let id = reference(idNode, from: owner, to: Self.nodeSection, known: known)
        else { return nil }
        func label(_ key: String) -> String { "\(key) of node \(Spelling.quoted(id)) in \(owner)" }
        let weight = fields["weight"].map { integer($0, name: label("weight"), in: 1...65_535) } ?? 1
        let bias = fields["bias"].map { integer($0, name: label("bias"), in: -99...99) } ?? 0
        var capacity: Int?
        if let node = fields["capacity"] {
            capacity = integer(node, name: label("capacity"), in: 1...65_535)
            guard capacity != nil else { return nil }
        }
        guard let weight, let bias else { return nil }
        return PoolMember(
            node: id, weight: UInt16(weight), capacity: capacity.map { UInt16($0) }, bias: bias, mark: idNode.place)
    }
}
