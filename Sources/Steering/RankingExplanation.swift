/// How a table's members stand for a client: who is a candidate, in which order and why, and who is not.
public struct RankingExplanation: Hashable, Sendable {
    /// Which filters were given up because they left nobody.
    public enum Relaxation: Hashable, Sendable {
        case none
        /// The maximum distance.
        case distance
        /// All rules but `deny`.
        case geography
        /// All of these.
        case both
    }

    /// Why a member is no candidate.
    public enum Dropped: Hashable, Sendable {
        case noAddress
        /// By the rule with this index in the key.
        case denied(rule: Int)
        /// Rules allow it elsewhere, and none does here.
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
        /// Great-circle distance; nil where the client's or the node's place is unknown.
        public let metres: Double?
        /// 0...1, of the original strategies; nil for clients of unknown place.
        public let score: Double?
        /// Measured, of the latency strategy.
        public let milliseconds: Int?
        /// 0 for those who come first; nil for those who are no candidates.
        public let band: Int?
    }

    /// Candidates in their order, then the others in the pool's.
    public let members: [Member]
    public let relaxation: Relaxation
    /// Whether rules deny every member to the client, who is refused then.
    public let isRefused: Bool
}
