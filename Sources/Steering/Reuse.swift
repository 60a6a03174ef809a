import CFastPathABI
import Location

/// Finds tables of an earlier compilation that are identical to what a key needs now.
struct Reuse {
    /// The parts of a table that are reused.
    struct Table {
        /// 16 bits for each place, in the memory of the earlier tables.
        let classes: UnsafeRawBufferPointer
        /// By class. A list refers to its backstop by number, from 1; 0 means none.
        let lists: [nc_list]
        let backstops: [nc_list]
        let standings: Standings
    }

    /// The same for the same places, independent of the tables.
    var nameOfPlace: [UInt32] { earlier.nameOfPlace }

    private let earlier: SteeringTables
    /// Order key, in current node numbers → index among the earlier tables.
    private var known: [SteeringKey: Int] = [:]

    /// - Returns: nil if the places differ: then nothing can be reused.
    init?(of earlier: SteeringTables, for nodes: [SteeringNode], _ places: PlaceTable) {
        guard earlier.places == places else { return nil }
        self.earlier = earlier
        let numbers = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($0.element.id, $0.offset) })
        // Nodes that were removed or changed in any way have no number now.
        let renumbered = earlier.nodes.map { node in
            numbers[node.id].flatMap { nodes[$0] == node ? $0 : nil }
        }
        for (index, table) in earlier.tables.enumerated() {
            if let key = table.ranking.orderKey.renumbered({ renumbered[$0] }) { known[key] = index }
        }
    }

    /// - Parameter order: the order key of the table that is needed.
    func table(for order: SteeringKey) -> Table? {
        guard let index = known[order] else { return nil }
        let table = earlier.tables[index]
        let first = table.classCell * MemoryLayout<nc_class_cell>.stride
        let classes = earlier.classes.bytes[first..<first + MemoryLayout<UInt16>.stride * earlier.places.count]
        let behind = table.listCell + table.classes
        let lists = (table.listCell..<behind).map { cell in
            var list = earlier.lists[cell].pointee
            if list.backstop != 0 { list.backstop -= UInt32(behind - 1) }
            return list
        }
        return Table(
            classes: UnsafeRawBufferPointer(rebasing: classes), lists: lists,
            backstops: (behind..<behind + table.backstops).map { earlier.lists[$0].pointee }, standings: table.standings
        )
    }
}

extension SteeringKey {
    /// The key with its nodes renumbered; nil if one of them has no new number.
    func renumbered(_ number: (Int) -> Int?) -> SteeringKey? {
        func all(_ nodes: [Int]) -> [Int]? {
            let numbers = nodes.compactMap(number)
            return numbers.count == nodes.count ? numbers : nil
        }
        guard let nodes = all(members.map(\.node)) else { return nil }
        var rules: [GeoRule] = []
        for rule in self.rules {
            let named = rule.nodes.map(all)
            if case .some(.none) = named { return nil }
            rules.append(GeoRule(match: rule.match, action: rule.action, nodes: named ?? nil))
        }
        var rows: [GeoRule.Match: [Int: Int]] = [:]
        for (match, times) in latency?.rows ?? [:] {
            guard let numbers = all(Array(times.keys)) else { return nil }
            rows[match] = Dictionary(uniqueKeysWithValues: zip(numbers, times.values))
        }
        return SteeringKey(
            members: zip(members, nodes).map {
                PoolMember(node: $1, weight: $0.weight, bias: $0.bias, tier: $0.tier)
            }, tolerance: tolerance, family: family, strategy: strategy, scoring: scoring,
            maximumKilometres: maximumKilometres, rules: rules, tierMinimum: tierMinimum,
            latency: latency == nil ? nil : LatencyTable(rows), overlay: overlay)
    }
}
