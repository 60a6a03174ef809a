package import Health

/// A change of node states that an operator orders.
package struct NodeOrder: Sendable {
    /// The override; `nil`: withdraw the operator's overrides.
    package let claim: Claim?
    /// Whether the last usable node of a pool may be taken out.
    package let force: Bool
    /// Who orders it, and why.
    package let author: String

    package init(claim: Claim?, force: Bool, author: String) {
        self.claim = claim
        self.force = force
        self.author = author
    }
}

/// Which nodes an order is for.
package enum NodeSelection: Sendable {
    case nodes([String])
    case pool(String)
    case all
}

/// What an order did.
package struct NodeOrderOutcome: Sendable {
    /// The nodes meant, in natural order of their ids.
    package let nodes: [String]
    /// How many of them changed state.
    package let changed: Int
    /// When packets saw it.
    package let seenAt: ContinuousClock.Instant
}

/// What a node or an agent reports about a node.
package struct NodeStatementInput: Sendable {
    /// In the operator's unit, the same as `capacity`; 0 to 1e12.
    package var load: Double?
    /// In the unit of `load`; above 0, up to 1e12.
    package var capacity: Double?
    /// Open ones, 0 to 1e12.
    package var connections: Int?
    /// Milliseconds to other nodes, by id.
    package var peers: [String: Double]?
    package var state: State?
    /// In 256ths of its normal share of clients, 1 to 256; of state `degraded` only.
    package var share: Int?
    /// How long the state holds.
    package var forSeconds: Int?
    package var reason: String?
    /// Above the number of the previous report, so that a late or repeated report is refused.
    package var sequence: UInt64?
    /// Whether the last usable node of a pool may be taken out; not for reports of nodes themselves.
    package var force: Bool

    package enum State: Sendable {
        case health(HealthState)
        /// Withdraws earlier statements of the same authority.
        case auto
    }

    package init(
        load: Double?, capacity: Double?, connections: Int?, peers: [String: Double]?, state: State?, share: Int?,
        forSeconds: Int?, reason: String?, sequence: UInt64?, force: Bool
    ) {
        self.load = load
        self.capacity = capacity
        self.connections = connections
        self.peers = peers
        self.state = state
        self.share = share
        self.forSeconds = forSeconds
        self.reason = reason
        self.sequence = sequence
        self.force = force
    }
}

/// The result of a statement.
package struct StatementOutcome: Sendable {
    /// The node's state now.
    package let state: HealthState
    package let authority: Authority?
    /// Seconds until the statement ends, or the next report is missed; `nil`: never.
    package let validSeconds: Int?
    /// Peers that are not known here.
    package let unknownPeers: [String]
}
