/// What a node, or who watches it, has last said of how busy it is.
///
/// Load and capacity are in one unit, which the operator chooses (requests a second, megabits, percent): what counts is
/// how much of the capacity the load is.
public struct NodeMetrics: Hashable, Sendable {
    /// Finite, not negative.
    public let load: Double?
    /// Finite, above 0.
    public let capacity: Double?
    /// Not negative.
    public let connections: Int?
    /// Milliseconds to other nodes, by id; finite, not negative.
    public let peers: [String: Double]
    /// When it was said.
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
