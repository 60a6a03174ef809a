/// What a member has in common with others of its table for the clients of one standing: among those that share all of
/// it distance alone decides.
struct Circumstance: Hashable, Sendable {
    /// What outweighs all but the tier.
    enum Kind: UInt8, Sendable {
        /// Its latency is known.
        case measured
        case ranked
        /// Its place is not known, and the strategy has no score for that.
        case unlocated
    }

    let tier: Int
    let kind: Kind
    /// 0 but for measured ones.
    let milliseconds: Int
    let isLocated: Bool
    let bias: Int
    let affinity: OriginalScore.Affinity

    /// Whether members of both are compared by cost.
    func isOfClass(of other: Circumstance) -> Bool {
        (tier, kind, milliseconds) == (other.tier, other.kind, other.milliseconds)
    }

    static func precedes(_ left: Circumstance, _ right: Circumstance) -> Bool {
        if !left.isOfClass(of: right) {
            return (left.tier, left.kind.rawValue, left.milliseconds)
                < (right.tier, right.kind.rawValue, right.milliseconds)
        }
        return (left.isLocated ? 0 : 1, left.bias, left.affinity.rawValue)
            < (right.isLocated ? 0 : 1, right.bias, right.affinity.rawValue)
    }
}

/// A member met while its table is put in order for one client.
struct Contender: Sendable {
    /// Index in the ranking.
    let member: Int
    let circumstance: Circumstance
    /// To the client; nil where no distance is known.
    let chord: UInt64?
    /// Lower comes first, equal is an equal score: a squared chord, the bits of a biased distance, what a score lacks
    /// to 1, or a position.
    let cost: UInt64

    func isEqual(to other: Contender) -> Bool { cost == other.cost && circumstance.isOfClass(of: other.circumstance) }
}

extension UInt64 {
    /// Cost of a score of 0...1. Doubles that are not negative compare like their bits.
    init(costOf score: Double) { self = Double(1).bitPattern - score.bitPattern }

    /// The score of a cost.
    var score: Double { Double(bitPattern: Double(1).bitPattern - self) }
}
