import CFastPathABI
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
        let keys = sizes.map { SteeringKey.all($0, strategy: $0 == 40 ? .weighted : .nearest) }
        let steering = try SteeringTables(keys: keys, nodes: nodes, places: PlaceTable([.unknown, .at(5)]))
        var words = [UInt64](repeating: 0, count: 200)
        var census = TableCensus(steering) { words[$0] }
        let states: [nc_node_state] = [
            NC_NODE_UNKNOWN, NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_DOWN, NC_NODE_DRAINED, NC_NODE_MAINTENANCE,
        ]
        for step in 0..<2_000 {
            let index = nodes.indices.randomElement(using: &numbers) ?? 0
            let node = nodes[index]
            let state = states.randomElement(using: &numbers) ?? NC_NODE_UP
            let word = nc_node_word(state.rawValue, 256, 7, UInt32(step))
            let before = words[node.slot]
            words[node.slot] = word
            var told: [Int] = []
            census.change(node.slot, from: before, to: word) { table, count in
                told.append(table)
                #expect(steering.census(of: table) { words[$0] } == count)
            }
            #expect(told.allSatisfy { index < sizes[$0] })
            let counted = steering.tables.indices.map { steering.census(of: $0) { words[$0] } }
            try #require(census.all == counted)
        }
    }

    @Test("a slot outside all tables changes nothing")
    func strangers() throws {
        let steering = try SteeringTables(keys: [], nodes: [], places: PlaceTable([.unknown]))
        var census = TableCensus(steering) { _ in 0 }
        census.change(5, from: 0, to: 1) { _, _ in Issue.record("a table was reported") }
        #expect(census.all.isEmpty)
    }
}
