/// Everything about a member that is compared before distance, for the clients of one standing. Among members of one
/// rank group, distance alone decides.
struct RankGroup: Hashable, Sendable {
    /// Compared before everything but the tier.
    enum Kind: UInt8, Sendable {
        /// Its latency is known.
        case measured
        case ranked
        /// Its location is unknown, and the strategy has no score for that.
        case unlocated
    }

    let tier: Int
    let kind: Kind
    /// 0 unless `kind` is `measured`.
    let milliseconds: Int
    let isLocated: Bool
    let bias: Int
    let affinity: OriginalScore.Affinity

    /// Whether members of both groups are compared by cost.
    func isOfClass(of other: RankGroup) -> Bool {
        (tier, kind, milliseconds) == (other.tier, other.kind, other.milliseconds)
    }

    static func precedes(_ left: RankGroup, _ right: RankGroup) -> Bool {
        if !left.isOfClass(of: right) {
            return (left.tier, left.kind.rawValue, left.milliseconds)
                < (right.tier, right.kind.rawValue, right.milliseconds)
        }
        return (left.isLocated ? 0 : 1, left.bias, left.affinity.rawValue)
            < (right.isLocated ? 0 : 1, right.bias, right.affinity.rawValue)
    }
}

/// A member that may serve, while its table is ordered for one client.
struct Candidate: Sendable {
    /// Index in the ranking.
    let member: Int
    let rankGroup: RankGroup
    /// The squared chord to the client; nil if a location is unknown.
    let chord: UInt64?
    /// Lower comes first; equal costs are equal scores. It is a squared chord, the bits of a biased distance, the
    /// difference of a score to 1, or a position.
    let cost: UInt64

    func isEqual(to other: Candidate) -> Bool { cost == other.cost && rankGroup.isOfClass(of: other.rankGroup) }
}

extension UInt64 {
    /// The cost of a score of 0...1. Non-negative doubles compare like their bit patterns.
    init(costOf score: Double) { self = Double(1).bitPattern - score.bitPattern }

    /// The score of a cost.
    var score: Double { Double(bitPattern: Double(1).bitPattern - self) }
}
