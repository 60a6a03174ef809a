import CFastPathABI
public import IPNetworks

/// A node's state, as packets see it (`bpf/abi/node.h`).
public enum HealthState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known yet. Used only when no other node is usable.
    case unknown
    case up
    /// Usable, with a reduced share.
    case degraded
    case down
    /// It works, but shall take no clients.
    case drained
    /// The same, by schedule.
    case maintenance

    public var isUsable: Bool { self == .up || self == .degraded }

    /// The share of a node that takes all its clients.
    public static let fullShare = Int(NC_SHARE_FULL)
}

/// The content of a node's word.
public struct NodeCondition: Hashable, Sendable {
    public var state: HealthState
    /// In 256ths of the clients it would have. 0 unless usable.
    public var share: Int
    /// Seconds until the state can change at the earliest. ``stable`` while no change is foreseeable.
    public var ttl: UInt32

    public static let stable = UInt32(NC_TTL_STABLE)

    public init(state: HealthState, share: Int, ttl: UInt32) {
        self.state = state
        self.share = share
        self.ttl = ttl
    }
}

/// What packets read of a node: one condition for each kind of answer.
public struct NodeConditions: Hashable, Sendable {
    /// Of answers without an address, such as an alias: the better family decides.
    public let any: NodeCondition
    /// Of its IPv4 address.
    public let v4: NodeCondition
    /// Of its IPv6 address.
    public let v6: NodeCondition

    public init(any: NodeCondition, v4: NodeCondition, v6: NodeCondition) {
        self.any = any
        self.v4 = v4
        self.v6 = v6
    }

    public subscript(_ family: IPFamily?) -> NodeCondition {
        switch family {
        case .v4: v4
        case .v6: v6
        case nil: any
        }
    }
}

/// A change of a node's state.
public struct Transition: Hashable, Sendable {
    public enum Cause: String, Hashable, Sendable {
        /// The first results of its checks.
        case first
        /// Enough consecutive results.
        case checks
        /// A claim was made.
        case claim
        /// A claim was withdrawn.
        case withdrawal
        /// A claim expired, or a window began.
        case schedule
        /// The node's checks were reconfigured.
        case configuration
        /// Its load changed its share.
        case load
        /// Its region changed its share.
        case region
    }

    public let from: HealthState
    public let to: HealthState
    public let cause: Cause
    /// The authority that now decides.
    public let authority: Authority
    /// The note of the claim that now holds, or of the withdrawal.
    public let author: String?
    /// `nil`: all families of the node changed alike.
    public let family: IPFamily?

    var ofNode: Transition {
        Transition(from: from, to: to, cause: cause, authority: authority, author: author, family: nil)
    }
}
