import FoundationEssentials

/// What a node says of itself, or an agent of it: the body of `POST /v1/nodes/ID/report`, described in
/// `docs/operations.md`. Every field may be absent; an empty one is a sign of life.
public struct NodeStatement: Codable, Equatable, Sendable {
    /// In the operator's unit, the same as `capacity`; 0 to 1e12.
    public var load: Double?
    /// In the unit of `load`; above 0, up to 1e12.
    public var capacity: Double?
    /// Open ones, 0 to 1e12.
    public var connections: Int?
    /// Milliseconds to other nodes, by id; 0 to 60,000 each, 256 of them at most.
    public var peers: [String: Double]?
    public var state: State?
    /// In 256ths of its normal share of clients, 1 to 256; of state `degraded` only.
    public var share: Int?
    /// How long the state holds, 1 to 31,622,400.
    public var forSeconds: Int?
    public var reason: String?
    /// Who says it; the caller's word.
    public var author: String?
    /// As what it is said; absent: as what the speaker is.
    public var authority: Voice?
    /// Above that of the report before: one that comes late or twice is refused.
    public var sequence: UInt64?
    /// Whether the last usable node of a pool may be taken out; not for nodes themselves.
    public var force: Bool?

    public enum State: String, Codable, Sendable, CaseIterable {
        case up, degraded, down, drained
        /// Nothing any more: earlier statements of the same authority are withdrawn.
        case auto
    }

    /// Authorities that speak through the interface; people use `nearcast node`.
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

/// What came of a statement.
public struct StatementReceipt: Codable, Equatable, Sendable {
    public var node: String
    /// The node's, now.
    public var state: NodeState
    /// Whose word that is.
    public var authority: String
    /// When what was said ends, or is missed; absent: never.
    public var validSeconds: Int?
    /// Fields and peers that are not known here, and were not looked at; at most 16.
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

/// What was last said of how busy a node is.
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
