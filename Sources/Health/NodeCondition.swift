import CFastPathABI

/// A node's state, as packets see it (`bpf/abi/node.h`).
public enum HealthState: String, Hashable, Sendable, CaseIterable {
    /// Nobody has said anything yet: used only when nothing is usable.
    case unknown
    case up
    /// Usable, with a smaller share.
    case degraded
    case down
    /// It works, and shall take no clients.
    case drained
    /// The same, by schedule.
    case maintenance

    public var isUsable: Bool { self == .up || self == .degraded }

    /// The share of a node that takes all its clients.
    public static let fullShare = Int(NC_SHARE_FULL)
}

/// What a node's word says.
public struct NodeCondition: Hashable, Sendable {
    public var state: HealthState
    /// In 256ths of the clients it would have; 0 unless usable.
    public var share: Int
    /// Seconds until the state may change at the earliest; ``stable`` while no change is in sight.
    public var ttl: UInt32

    public static let stable = UInt32(NC_TTL_STABLE)

    public init(state: HealthState, share: Int, ttl: UInt32) {
        self.state = state
        self.share = share
        self.ttl = ttl
    }
}

/// A change of a node's state.
public struct Transition: Hashable, Sendable {
    public enum Cause: String, Hashable, Sendable {
        /// The first results of the checks.
        case first
        /// Enough results in a row.
        case checks
        /// A claim was made.
        case claim
        /// A claim was withdrawn.
        case withdrawal
        /// A claim ended, or a window began.
        case schedule
        /// The node's checks are others now.
        case configuration
        /// Its load leaves it less of its share, or all of it again.
        case load
        /// Its region does.
        case region
    }

    public let from: HealthState
    public let to: HealthState
    public let cause: Cause
    /// Whose word holds now.
    public let authority: Authority
    /// Of the claim that holds now.
    public let author: String?
}
