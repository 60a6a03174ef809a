import CFastPathABI
import Location
import Steering
import Testing

@Suite struct TableCensusTests {
    @Test(
        "after any changes the census of every table is what counting anew gives, and only tables of the node are told")
    func changes() throws {
        var numbers = Numbers(7)
        let nodes = (0..<40).map { SteeringNode.at(Double($0 * 9 % 180), id: "n\($0)", slot: 3 * $0 + 1) }
        // Of all sizes, and one that user space must walk: its census has its highest bit set.
        let keys = (1...12).map { SteeringKey.all(3 * $0) } + [.all(40, strategy: .weighted)]
        let steering = try SteeringTables(keys: keys, nodes: nodes, places: PlaceTable([.unknown, .at(5)]))
        var words = [UInt64](repeating: 0, count: 200)
        var census = TableCensus(steering) { words[$0] }
        let states: [nc_node_state] = [
            NC_NODE_UNKNOWN, NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_DOWN, NC_NODE_DRAINED, NC_NODE_MAINTENANCE,
        ]
        for step in 0..<2_000 {
            let node = nodes.randomElement(using: &numbers) ?? nodes[0]
            let state = states.randomElement(using: &numbers) ?? NC_NODE_UP
            let word = nc_node_word(state.rawValue, 256, 7, UInt32(step))
            var told: [Int] = []
            census.change(node.slot, from: words[node.slot], to: word) { table, count in
                told.append(table)
                #expect(census(table, after: word, in: node.slot) == count)
            }
            words[node.slot] = word
            for table in told {
                #expect(steering.tables[table].ranking.members.contains { nodes[$0.node].slot == node.slot })
            }
            let counted = steering.tables.indices.map { steering.census(of: $0) { words[$0] } }
            try #require(census.all == counted)
        }
        func census(_ table: Int, after word: UInt64, in slot: Int) -> UInt64 {
            steering.census(of: table) { $0 == slot ? word : words[$0] }
        }
    }

    @Test("a slot of no table changes nothing")
    func strangers() throws {
        let steering = try SteeringTables(keys: [], nodes: [], places: PlaceTable([.unknown]))
        var census = TableCensus(steering) { _ in 0 }
        census.change(5, from: 0, to: 1) { _, _ in Issue.record("told") }
        #expect(census.all.isEmpty)
    }
}
