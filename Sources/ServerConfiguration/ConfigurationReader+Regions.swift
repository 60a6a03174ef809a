import Health
import Yams

/// `regions`.
extension ConfigurationReader {
    static let regionSection = Section(
        key: "regions", word: "region", identifier: "id", known: ["id", "nodes", "threshold"],
        identifierExample: "europe", example: "regions: [{id: europe, nodes: [fra1, ams1], threshold: 70}]")

    /// - Parameter settings: the nodes, for their capacities.
    mutating func regions(
        _ entries: [Entry], nodes known: KnownIdentifiers, _ settings: [NodeSettings]
    ) -> [Region] {
        let capacities = Dictionary(settings.map { ($0.id, $0.capacity) }) { first, _ in first }
        var regionOf: [String: String] = [:]
        return distinct(entries, in: Self.regionSection).compactMap { entry in
            let threshold = entry.fields["threshold"].map {
                integer($0, name: entry.fields.name("threshold"), in: 1...100, unit: "percent")
            }
            guard let ids = members(of: entry, known, &regionOf), let threshold = threshold ?? 70,
                let members = members(ids, of: entry, capacities)
            else { return nil }
            return Region(id: entry.identifier.text, members: members, threshold: threshold)
        }
    }

    /// The nodes of a region, none of which is in another; `nil` only after a problem.
    private mutating func members(
        of entry: Entry, _ known: KnownIdentifiers, _ regionOf: inout [String: String]
    ) -> [String]? {
        let example = "nodes: [fra1, ams1]"
        guard let node = required("nodes", in: entry.fields, example: example),
            let elements = list(node, name: entry.fields.name("nodes"), of: "node", example: example)
        else { return nil }
        var ids: [String] = []
        for element in elements {
            guard let id = reference(element, from: entry.owner, to: Self.nodeSection, known: known) else { return nil }
            if let other = regionOf[id] {
                let place =
                    other == entry.identifier.text ? " twice" : ", which region \(Spelling.quoted(other)) has too"
                report(
                    element.place,
                    "\(entry.owner) has node \(Spelling.quoted(id))\(place), expected each node in one region: "
                        + "remove it from one")
                return nil
            }
            regionOf[id] = entry.identifier.text
            ids.append(id)
        }
        guard ids.count > 1 else {
            report(
                node.place,
                "\(entry.owner) has one node, expected two or more, which stand in for each other: add one, or remove "
                    + "the region")
            return nil
        }
        return ids
    }

    /// Capacities are known of all or of none: then the nodes count alike.
    private mutating func members(
        _ ids: [String], of entry: Entry, _ capacities: [String: Double?]
    ) -> [Region.Member]? {
        let known = ids.compactMap { id in (capacities[id] ?? nil).map { Region.Member(node: id, capacity: $0) } }
        if known.isEmpty { return ids.map { Region.Member(node: $0) } }
        // A node that could not be read has been told of.
        guard known.count < ids.count, ids.allSatisfy({ capacities.keys.contains($0) }) else { return known }
        let without = ids.filter { id in !known.contains { $0.node == id } }
        report(
            entry.fields["nodes"]?.place ?? entry.fields.mark,
            "\(entry.owner) has nodes with a capacity and nodes without (\(Spelling.excerpt(without))), expected it of all "
                + "or of none: give these a capacity")
        return nil
    }
}
