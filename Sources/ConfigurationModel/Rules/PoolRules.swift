/// `pools`.
struct PoolRules: EntryRules {
    let context: RuleContext
    let names: DeclaredNames

    func pools(_ entries: [Entry<PoolDeclaration>]) -> [PoolSettings] {
        let drafts = distinct(entries, in: .pools).compactMap { draft($0) }
        var tree = PoolTree(drafts)
        let settings = drafts.compactMap { tree.settings(of: $0) }
        for problem in tree.problems { report(problem) }
        return settings
    }

    private func draft(_ entry: Entry<PoolDeclaration>) -> PoolDraft? {
        let declared = entry.declaration
        let minimum = integer(declared.minimum, entry.name("minimum"), .minimum)
        let content: PoolDraft.Content?
        if declared.pools.isAbsent {
            content = members(of: entry)
        } else {
            if let other = declared.nodes.located {
                report(
                    other.key, "\(entry.owner) has nodes and pools, expected one of them",
                    remedy: "make the nodes a pool of their own")
            }
            content = inner(entry)
        }
        guard let content, minimum != nil || declared.minimum.isAbsent else { return nil }
        return PoolDraft(
            id: entry.identifier.value, content: content,
            minimum: minimum.flatMap { count in
                declared.minimum.located.map { PoolDraft.Minimum(count: count, mark: $0.location) }
            },
            mark: entry.location)
    }

    private func inner(_ entry: Entry<PoolDeclaration>) -> PoolDraft.Content? {
        guard let elements = list(entry.declaration.pools, "pools", .innerPools, in: entry.scope) else { return nil }
        let pools = elements.filter { reference($0, from: entry.owner, to: .pools, known: names.pools) != nil }
        let kept = unique(pools, of: entry, word: "pool", remedy: "remove one") { $0 }
        return kept.isEmpty ? nil : .pools(kept)
    }

    private func members(of entry: Entry<PoolDeclaration>) -> PoolDraft.Content? {
        _ = required(entry.declaration.nodes, "nodes", in: entry.scope, example: "nodes: [fra1]")
        guard let elements = list(entry.declaration.nodes, "nodes", .members, in: entry.scope) else { return nil }
        let members = elements.compactMap { member($0, of: entry) }
        let remedy = "remove one, and use weight to give it a larger share"
        let kept = unique(members, of: entry, word: "node", remedy: remedy) { Located($0.node, at: $0.mark) }
        return kept.isEmpty ? nil : .nodes(kept)
    }

    /// The elements whose id has not occurred before.
    private func unique<Element>(
        _ all: [Element], of entry: Entry<PoolDeclaration>, word: String, remedy: String,
        by identifier: (Element) -> Identifier
    ) -> [Element] {
        var first: [String: DocumentLocation] = [:]
        return all.filter { element in
            let id = identifier(element)
            if let earlier = first[id.value] {
                report(
                    id.location,
                    "\(entry.owner) has \(word) \(id.quoted) twice, first at \(earlier.reference(from: id.location))",
                    remedy: remedy)
                return false
            }
            first[id.value] = id.location
            return true
        }
    }

    private func member(
        _ element: Located<PoolMemberDeclaration>, of entry: Entry<PoolDeclaration>
    ) -> PoolMember? {
        let declared = element.value
        let scope = Scope(entry.scope.subject.member(declared.id.located?.value), at: element.location)
        guard let given = required(declared.id, "id", in: scope, example: "id: fra1"),
            let id = reference(given, from: entry.owner, to: .nodes, known: names.nodes)
        else { return nil }
        let weight = integer(declared.weight, scope.name("weight"), .weight, default: 1)
        let bias = integer(declared.bias, scope.name("bias"), .bias, default: 0)
        let capacity = integer(declared.capacity, scope.name("capacity"), .memberCapacity)
        guard let weight, let bias, capacity != nil || declared.capacity.isAbsent else { return nil }
        return PoolMember(
            node: id, weight: UInt16(weight), capacity: capacity.map { UInt16($0) }, bias: bias, mark: given.location)
    }
}
