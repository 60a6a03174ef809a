public import CFastPathABI
public import IPNetworks
public import Location

/// Candidate lists for every place, for every steering table of a model, in the layout both paths read
/// (`bpf/abi/select.h`, `bpf/abi/names.h`).
///
///     place ──(place → class, one map a table)──► class ──► list ──► backstop
///
/// Immutable.
public struct SteeringTables: Sendable {
    /// The position of one table. Tables that order the same members alike share cells; usually these are the two
    /// families'.
    public struct Table: Sendable {
        public let key: SteeringKey
        public let ranking: Ranking
        /// First cell of the place → class map.
        public let classCell: Int
        /// Cell of class 0's list.
        public let listCell: Int
        /// Distinct lists.
        public let classes: Int
        /// Number of backstops, which follow the lists.
        let backstops: Int
        /// Whether some places have empty lists, so that user space chooses for them.
        let hasEmptyLists: Bool
        let standings: Standings
    }

    public let nodes: [SteeringNode]
    public let places: PlaceTable
    public let tables: [Table]
    /// Place → class, 32 to a cell, table after table.
    public let classes: CellBuffer<nc_class_cell>
    /// Lists and backstops. Cell 0 is an empty backstop.
    public let lists: CellBuffer<nc_list>
    /// How many rankings this compilation made; 0 if every table was reused.
    public let rankings: Int

    /// Place → number of its names and labels; empty where no table looks at them.
    let nameOfPlace: [UInt32]
    /// Slot → index of its node, -1 for none.
    private let nodeOfSlot: [Int]

    /// Compiles the tables named by `keys`, in that order.
    ///
    /// - Parameter earlier: tables whose key, nodes and places are unchanged are reused.
    /// - Throws: `SteeringError` when the layout's limits are exceeded.
    public init(
        keys: [SteeringKey], nodes: [SteeringNode], places: PlaceTable, reusing earlier: SteeringTables? = nil
    ) throws(SteeringError) {
        guard keys.count <= NC_MAX_STEERING_TABLES else {
            throw .tooManyTables(keys.count, limit: Int(NC_MAX_STEERING_TABLES))
        }
        var builder = TablesBuilder(nodes: nodes, places: places, count: keys.count, reusing: earlier)
        for key in keys { try builder.add(key) }
        self.nodes = nodes
        self.places = places
        var nodeOfSlot = [Int](repeating: -1, count: (nodes.map(\.slot).max() ?? -1) + 1)
        for (index, node) in nodes.enumerated() { nodeOfSlot[node.slot] = index }
        self.nodeOfSlot = nodeOfSlot
        tables = builder.tables
        rankings = builder.rankings
        nameOfPlace = builder.nameOfPlace
        (classes, lists) = builder.finish()
    }

    /// The node in a slot.
    public func node(slot: Int) -> SteeringNode? {
        slot < nodeOfSlot.count && nodeOfSlot[slot] >= 0 ? nodes[nodeOfSlot[slot]] : nil
    }

    /// Census word of a table for the given node words: usable nodes in the low half, unknown ones in the high half.
    /// It is never 0 if user space chooses for some places: otherwise the fast path would take an empty list for a dead
    /// pool.
    public func census(of table: Int, word: (_ slot: Int, _ family: IPFamily?) -> UInt64) -> UInt64 {
        var usable: UInt64 = 0
        var unknown: UInt64 = 0
        for member in tables[table].ranking.members {
            switch nc_word_state(word(nodes[member.node].slot, tables[table].key.family)) {
            case NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue: usable += 1
            case NC_NODE_UNKNOWN.rawValue: unknown += 1
            default: break
            }
        }
        return usable | unknown << 32 | (tables[table].hasEmptyLists ? 1 << 63 : 0)
    }
}

/// Why a model's steering does not fit the tables.
public enum SteeringError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooManyTables(Int, limit: Int)
    case tooManyClasses(Int, limit: Int)
    case tooManySlots(Int, limit: Int)

    public var description: String {
        switch self {
        case .tooManyTables(let count, let limit):
            """
            the tailored names need \(count) steering tables (distinct pool, policy and address family), \
            \(limit) fit: let names share pools and policies
            """
        case .tooManyClasses(let count, let limit):
            "a pool has \(count) distinct candidate lists over the world, \(limit) fit: split the pool"
        case .tooManySlots(let count, let limit):
            """
            old and new nodes together are \(count), \(limit) fit while one set replaces the other: remove old nodes \
            first, and add new ones with the next reload
            """
        }
    }
}
