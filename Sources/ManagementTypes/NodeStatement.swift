import FoundationEssentials

/// A report of a node, by itself or by an agent: the body of `POST /v1/nodes/ID/report`, described in
/// `docs/operations.md`. Every field may be absent; an empty report is a heartbeat.
public struct NodeStatement: Codable, Equatable, Sendable {
    /// In the operator's unit, the same as `capacity`; 0 to 1e12.
    public var load: Double?
    /// In the unit of `load`; above 0, up to 1e12.
    public var capacity: Double?
    /// Open connections, 0 to 1e12.
    public var connections: Int?
    /// Milliseconds to other nodes, by id; 0 to 60,000 each, 256 of them at most.
    public var peers: [String: Double]?
    public var state: State?
    /// The share of clients in 256ths of the normal one, 1 to 256; only with the state `degraded`.
    public var share: Int?
    /// How long the state is valid, 1 to 31,622,400.
    public var forSeconds: Int?
    public var reason: String?
    /// Whatever the caller says about itself; recorded behind its identity, and proves nothing.
    public var author: String?
    /// The authority of the report; absent: the caller's own.
    public var authority: Voice?
    /// Must be above that of the previous report: late and repeated ones are refused.
    public var sequence: UInt64?
    /// Take the node out even if it is the last usable one of a pool. Ignored in reports of nodes about themselves.
    public var force: Bool?

    public enum State: String, Codable, Sendable, CaseIterable {
        case up, degraded, down, drained
        /// Withdraw earlier reports of the same authority.
        case auto
    }

    /// Authorities that can report; people use `nearcast node`.
    public enum Voice: String, Codable, Sendable, CaseIterable {
        /// The node.
        case report
        /// A check elsewhere.
        case external
        /// A program that acts for people.
        case automation
    }

    public init(
        load: Double? = nil, capacity: Double? = nil, connections: Int? = nil, peers: [String: Double]? = nil,
        state: State? = nil, share: Int? = nil, forSeconds: Int? = nil, reason: String? = nil, author: String? = nil,
        authority: Voice? = nil, sequence: UInt64? = nil, force: Bool? = nil
    ) {
        self.load = load
        self.capacity = capacity
        self.connections = connections
        self.peers = peers
        self.state = state
        self.share = share
        self.forSeconds = forSeconds
        self.reason = reason
        self.author = author
        self.authority = authority
        self.sequence = sequence
        self.force = force
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case load, capacity, connections, peers, state, share, forSeconds, reason, author, authority, sequence, force
    }
}

/// The result of a report.
public struct StatementReceipt: Codable, Equatable, Sendable {
    public var node: String
    /// The state of the node now.
    public var state: NodeState
    /// The authority that decides it.
    public var authority: String
    /// How long the report is valid; absent: without end.
    public var validSeconds: Int?
    /// Unknown fields and peers, which were ignored; at most 16.
    public var ignored: [String]?

    public init(
        node: String, state: NodeState, authority: String, validSeconds: Int? = nil, ignored: [String]? = nil
    ) {
        self.node = node
        self.state = state
        self.authority = authority
        self.validSeconds = validSeconds
        self.ignored = ignored
    }
}

/// The load that was last reported of a node.
public struct ReportedMetrics: Codable, Equatable, Sendable {
    public var load: Double?
    public var capacity: Double?
    public var connections: Int?
    /// Milliseconds to other nodes.
    public var peers: [String: Double]?
    public var ageSeconds: Double

    public init(
        load: Double? = nil, capacity: Double? = nil, connections: Int? = nil, peers: [String: Double]? = nil,
        ageSeconds: Double
    ) {
        self.load = load
        self.capacity = capacity
        self.connections = connections
        self.peers = peers
        self.ageSeconds = ageSeconds
    }
}
