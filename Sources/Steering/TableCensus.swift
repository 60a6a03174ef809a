import CFastPathABI
public import IPNetworks

/// The census words of all tables (``SteeringTables/census(of:word:)``), updated node by node: a change costs only the
/// tables that contain the node.
public struct TableCensus: Sendable {
    private var words: [UInt64]
    /// The tables of each slot, slot after slot: those of slot `s` are at `starts[s]..<starts[s + 1]`.
    private let tables: [UInt16]
    private let starts: [UInt32]
    /// The family of each table.
    private let families: [IPFamily?]

    /// - Parameter word: the current node words.
    public init(_ steering: SteeringTables, word: (_ slot: Int, _ family: IPFamily?) -> UInt64) {
        families = steering.tables.map(\.key.family)
        words = steering.tables.indices.map { steering.census(of: $0, word: word) }
        let slots = steering.nodes.map(\.slot)
        var starts = [UInt32](repeating: 0, count: (slots.max() ?? -1) + 2)
        for table in steering.tables {
            for member in table.ranking.members { starts[slots[member.node] + 1] += 1 }
        }
        for slot in starts.indices.dropFirst() { starts[slot] += starts[slot - 1] }
        var (next, tables) = (starts, [UInt16](repeating: 0, count: Int(starts.last ?? 0)))
        for (index, table) in steering.tables.enumerated() {
            for member in table.ranking.members {
                let slot = slots[member.node]
                tables[Int(next[slot])] = UInt16(index)
                next[slot] += 1
            }
        }
        (self.starts, self.tables) = (starts, tables)
    }

    /// The census word of every table.
    public var all: [UInt64] { words }

    /// Updates the census after a node's word of a family changed.
    ///
    /// - Parameter store: called with each table whose census changed, and the new census.
    public mutating func change(
        _ slot: Int, _ family: IPFamily?, from before: UInt64, to after: UInt64,
        store: (_ table: Int, _ census: UInt64) -> Void
    ) {
        let (old, new) = (Self.part(before), Self.part(after))
        guard old != new, slot + 1 < starts.count else { return }
        for index in Int(starts[slot])..<Int(starts[slot + 1]) {
            let table = Int(tables[index])
            guard families[table] == family else { continue }
            words[table] = words[table] &- old &+ new
            store(table, words[table])
        }
    }

    /// What a node contributes to the census of its tables.
    private static func part(_ word: UInt64) -> UInt64 {
        switch nc_word_state(word) {
        case NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue: 1
        case NC_NODE_UNKNOWN.rawValue: 1 << 32
        default: 0
        }
    }
}
