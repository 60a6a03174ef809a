/// The latest metrics of a node, from the node itself or from a monitor.
///
/// Load and capacity share a unit that the operator chooses (requests per second, megabits, percent): only their ratio
/// counts.
public struct NodeMetrics: Hashable, Sendable {
    /// Finite, not negative.
    public let load: Double?
    /// Finite, above 0.
    public let capacity: Double?
    /// Not negative.
    public let connections: Int?
    /// Milliseconds to other nodes, by id. Finite, not negative.
    public let peers: [String: Double]
    /// When it was reported.
    public let at: Moment

    public init(
        load: Double? = nil, capacity: Double? = nil, connections: Int? = nil, peers: [String: Double] = [:],
        at: Moment
    ) {
        self.load = load
        self.capacity = capacity
        self.connections = connections
        self.peers = peers
        self.at = at
    }
}
