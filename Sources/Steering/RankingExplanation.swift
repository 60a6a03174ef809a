/// A table's members for one client: the candidates with their order and its reasons, and why the others are excluded.
public struct RankingExplanation: Hashable, Sendable {
    /// Which filters were ignored because they left no member.
    public enum Relaxation: Hashable, Sendable {
        case none
        /// The maximum distance.
        case distance
        /// All rules but `deny`.
        case geography
        /// The maximum distance and all rules but `deny`.
        case both
    }

    /// Why a member is not a candidate.
    public enum Dropped: Hashable, Sendable {
        case noAddress
        /// The rule with this index in the key denies it.
        case denied(rule: Int)
        /// A rule allows it elsewhere, and none allows it here.
        case notAllowed
        /// The rule with this index pins the client to others.
        case pinnedElsewhere(rule: Int)
        case beyondMaximum
    }

    public struct Member: Hashable, Sendable {
        public let member: PoolMember
        /// Nil for candidates.
        public let dropped: Dropped?
        /// Index of the rule that made it a candidate, where one did.
        public let rule: Int?
        /// Great-circle distance; nil if the client's or the node's location is unknown.
        public let metres: Double?
        /// Score of the original strategies, 0...1; nil for clients of unknown location.
        public let score: Double?
        /// Measured latency, for the latency strategy.
        public let milliseconds: Int?
        /// 0 for the first band; nil for members that are not candidates.
        public let band: Int?
    }

    /// Candidates in order, then the others in the pool's order.
    public let members: [Member]
    public let relaxation: Relaxation
    /// Whether rules deny every member. The client gets REFUSED then.
    public let isRefused: Bool
}
