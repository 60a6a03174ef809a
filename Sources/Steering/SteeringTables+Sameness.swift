extension SteeringTables {
    /// Whether a table orders the same nodes in the same way as one of another model. Nodes are compared by all that is
    /// known of them, not by their numbers.
    ///
    /// - Parameter numbers: the number in `other` of each node of this model that is equal there; `nil` for the rest.
    public func isSame(_ table: Int, as otherTable: Int, of other: SteeringTables, _ numbers: [Int?]) -> Bool {
        tables[table].key.renumbered { numbers[$0] } == other.tables[otherTable].key
    }

    /// The number in `other` of each node of this model that is equal there.
    public func numbers(in other: SteeringTables) -> [Int?] {
        let known = Dictionary(uniqueKeysWithValues: other.nodes.enumerated().map { ($0.element.id, $0.offset) })
        return nodes.map { node in known[node.id].flatMap { other.nodes[$0] == node ? $0 : nil } }
    }
}
