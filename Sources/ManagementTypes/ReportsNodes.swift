public import FoundationEssentials

/// The same override for many nodes, all or none: `nearcast node drain A B C`, `--pool P`, `--all`.
public struct NodesStateChange: Codable, Equatable, Sendable {
    /// Node ids; absent if a pool or all nodes are meant.
    public var nodes: [String]?
    /// Nodes of this pool.
    public var pool: String?
    /// All nodes.
    public var all: Bool?
    /// The change of each node.
    public var change: NodeStateChange

    public init(nodes: [String]? = nil, pool: String? = nil, all: Bool? = nil, change: NodeStateChange) {
        self.nodes = nodes
        self.pool = pool
        self.all = all
        self.change = change
    }
}

/// The result of a change of many nodes.
public struct NodesStateReport: Codable, Equatable, Sendable {
    /// Each node as it is now, ordered by id.
    public var nodes: [Node]
    /// How many changed.
    public var changed: Int
    /// From the request to the last store that packets see.
    public var tookMicroseconds: Double

    public struct Node: Codable, Equatable, Sendable {
        public var id: String
        public var state: NodeState
        /// When slow start ends, as in ``NodeReport/fullShareAt``.
        public var fullShareAt: Date?

        public init(id: String, state: NodeState, fullShareAt: Date? = nil) {
            self.id = id
            self.state = state
            self.fullShareAt = fullShareAt
        }
    }

    public init(nodes: [Node], changed: Int, tookMicroseconds: Double) {
        self.nodes = nodes
        self.changed = changed
        self.tookMicroseconds = tookMicroseconds
    }
}
