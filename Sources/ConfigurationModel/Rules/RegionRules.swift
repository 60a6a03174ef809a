import Health

/// `regions`.
struct RegionRules: EntryRules {
    let context: RuleContext
    let names: DeclaredNames

    /// - Parameter settings: the nodes, for their capacities.
    func regions(_ entries: [Entry<RegionDeclaration>], _ settings: [NodeSettings]) -> [Region] {
        let capacities = Dictionary(settings.map { ($0.id, $0.capacity) }) { first, _ in first }
        var regionOf: [String: String] = [:]
        return distinct(entries, in: .regions).compactMap { entry in
            let threshold = integer(
                entry.declaration.threshold, entry.name("threshold"), .threshold, default: 70)
            guard let ids = members(of: entry, &regionOf), let threshold,
                let members = members(ids, of: entry, capacities)
            else { return nil }
            return Region(id: entry.identifier.value, members: members, threshold: threshold)
        }
    }

    /// The nodes of a region. No node is in two regions. `nil` only after a problem.
    private func members(
        of entry: Entry<RegionDeclaration>, _ regionOf: inout [String: String]
    ) -> [String]? {
        let declared = entry.declaration.nodes
        _ = required(declared, "nodes", in: entry.scope, example: ListForm.regionNodes.example)
        guard let elements = list(declared, "nodes", .regionNodes, in: entry.scope),
            // An unreadable element may be the second node.
            elements.count == declared.located?.value.count
        else { return nil }
        var ids: [String] = []
        for element in elements {
            guard let id = reference(element, from: entry.owner, to: .nodes, known: names.nodes) else { return nil }
            if let other = regionOf[id] {
                let place =
                    other == entry.identifier.value ? " twice" : ", which region \(Spelling.quoted(other)) has too"
                report(
                    element.location,
                    "\(entry.owner) has node \(Spelling.quoted(id))\(place), expected each node in one region",
                    remedy: "remove it from one")
                return nil
            }
            regionOf[id] = entry.identifier.value
            ids.append(id)
        }
        guard ids.count > 1 else {
            report(
                declared.located?.location ?? entry.location,
                "\(entry.owner) has one node, expected at least two, which back each other up",
                remedy: "add one, or remove the region")
            return nil
        }
        return ids
    }

    /// Capacities must be known for all nodes or for none. Without them the nodes count equally.
    private func members(
        _ ids: [String], of entry: Entry<RegionDeclaration>, _ capacities: [String: Double?]
    ) -> [Region.Member]? {
        let known = ids.compactMap { id in (capacities[id] ?? nil).map { Region.Member(node: id, capacity: $0) } }
        if known.isEmpty { return ids.map { Region.Member(node: $0) } }
        // Unreadable nodes have been reported already.
        guard known.count < ids.count, ids.allSatisfy({ capacities.keys.contains($0) }) else { return known }
        let without = ids.filter { id in !known.contains { $0.node == id } }
        report(
            entry.declaration.nodes.located?.location ?? entry.location,
            "\(entry.owner) has nodes with a capacity and nodes without (\(Spelling.excerpt(without))), expected a capacity for all "
                + "or for none",
            remedy: "add capacity to these nodes")
        return nil
    }
}
