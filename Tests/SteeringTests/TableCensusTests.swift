import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

@Suite struct TableCensusTests {
    @Test(
        "after random changes every table's census equals a new count, and only tables of the node are reported")
    func changes() throws {
        var numbers = Numbers(7)
        let nodes = (0..<40).map { SteeringNode.at(Double($0 * 9 % 180), id: "n\($0)", slot: 3 * $0 + 1) }
        // Of all sizes, and one that user space must walk: its census has its highest bit set.
        let sizes = (1...12).map { 3 * $0 } + [40]
        let all = sizes.map { SteeringKey.all($0, strategy: $0 == 40 ? .weighted : .nearest) }
        // The same members once for IPv4, once for answers without an address.
        let keys = all.flatMap { [$0, SteeringKey(members: $0.members, tolerance: $0.tolerance, family: .v4)] }
        let steering = try SteeringTables(keys: keys, nodes: nodes, places: PlaceTable([.unknown, .at(5)]))
        let words = NodeWords()
        var census = TableCensus(steering, word: words.word)
        let states: [nc_node_state] = [
            NC_NODE_UNKNOWN, NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_DOWN, NC_NODE_DRAINED, NC_NODE_MAINTENANCE,
        ]
        for step in 0..<2_000 {
            let index = nodes.indices.randomElement(using: &numbers) ?? 0
            let node = nodes[index]
            let state = states.randomElement(using: &numbers) ?? NC_NODE_UP
            let word = nc_node_word(state.rawValue, 256, 7, UInt32(step))
            let family = Bool.random(using: &numbers) ? IPFamily.v4 : nil
            let before = words.word(node.slot, family)
            words.store(node.slot, family, word)
            var told: [Int] = []
            census.change(node.slot, family, from: before, to: word) { table, count in
                told.append(table)
                #expect(steering.census(of: table, word: words.word) == count)
            }
            #expect(told.allSatisfy { index < sizes[$0 / 2] && keys[$0].family == family })
            let counted = steering.tables.indices.map { steering.census(of: $0, word: words.word) }
            try #require(census.all == counted)
        }
    }

    @Test("a slot outside all tables changes nothing")
    func strangers() throws {
        let steering = try SteeringTables(keys: [], nodes: [], places: PlaceTable([.unknown]))
        var census = TableCensus(steering) { _, _ in 0 }
        census.change(5, nil, from: 0, to: 1) { _, _ in Issue.record("a table was reported") }
        #expect(census.all.isEmpty)
    }
}
