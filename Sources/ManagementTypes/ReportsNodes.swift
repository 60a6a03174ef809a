/// The same wish for many nodes, decided as one: `nearcast node drain A B C`, `--pool P`, `--all`.
public struct NodesStateChange: Codable, Equatable, Sendable {
    /// Ids; absent where a pool, or all, are meant.
    public var nodes: [String]?
    /// Nodes of this pool.
    public var pool: String?
    /// All nodes there are.
    public var all: Bool?
    /// What is wished of each of them.
    public var change: NodeStateChange

    public init(nodes: [String]? = nil, pool: String? = nil, all: Bool? = nil, change: NodeStateChange) {
        self.nodes = nodes
        self.pool = pool
        self.all = all
        self.change = change
    }
}

/// What came of a wish for many nodes.
public struct NodesStateReport: Codable, Equatable, Sendable {
    /// How each of them is now, ordered by id.
    public var nodes: [Node]
    /// How many have changed.
    public var changed: Int
    /// From the request to the last store that packets see.
    public var tookMicroseconds: Double

    public struct Node: Codable, Equatable, Sendable {
        public var id: String
        public var state: NodeState

        public init(id: String, state: NodeState) {
            self.id = id
            self.state = state
        }
    }

    public init(nodes: [Node], changed: Int, tookMicroseconds: Double) {
        self.nodes = nodes
        self.changed = changed
        self.tookMicroseconds = tookMicroseconds
    }
}
