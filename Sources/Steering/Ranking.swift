import IPNetworks
public import Location

/// One candidate in a client's order of preference.
public struct RankedCandidate: Hashable, Sendable {
    /// Index of the node in the model.
    public let node: Int
    public let weight: UInt16
    public let tier: Int
    /// Squared chord to the client, in units of 2^-60; 0 if no distance is known.
    public let squaredChord: UInt64
    /// 0 for the first band, then ascending. Candidates of one band are near ties, ordered by id.
    public let band: Int
}

/// Orders the members of one steering table for a client's place: by tier, then as the strategy says; ties go by node
/// id.
///
/// A member is not a candidate if it has no address of the table's family, if rules exclude it, or if it is beyond the
/// maximum distance. If that leaves no member, the maximum distance is ignored first, then all rules but `deny`.
public struct Ranking: Sendable {
    struct Member: Sendable {
        let node: Int
        let slot: Int
        let idHash: UInt64
        let weight: UInt16
        let bias: Int
        let tier: Int
        let isLocated: Bool
        let point: SpherePoint
        /// Position in the order of node ids.
        let idRank: Int

        var asPoolMember: PoolMember { PoolMember(node: node, weight: weight, bias: bias, tier: tier) }
    }

    let key: SteeringKey
    /// In the pool's order.
    let members: [Member]
    /// Members that have no address of the family.
    let withoutAddress: [PoolMember]
    /// Whether the candidates answer with their overlay addresses: the key asks for them, and a member has one.
    public let usesOverlay: Bool
    let standings: StandingReader
    let score: OriginalScore
    /// The largest squared chord of a candidate. The original strategies score members beyond it, so they do not use
    /// it.
    let maximum: UInt64
    /// Whether biases differ. Equal biases change nothing.
    let isBiased: Bool
    /// The candidate set of every place, if names do not matter.
    private var candidateSet: CandidateSet?

    public init(_ key: SteeringKey, nodes: [SteeringNode]) {
        self.key = key
        let overlay =
            key.overlay
            && key.members.contains { member in
                key.family.map { nodes[member.node].address($0, overlay: true) != nil } ?? false
            }
        usesOverlay = overlay
        let hasAddress = key.members.map { member in
            key.family.map { nodes[member.node].address($0, overlay: overlay) != nil } ?? true
        }
        let eligible = zip(key.members, hasAddress).filter(\.1).map(\.0)
        withoutAddress = zip(key.members, hasAddress).filter { !$0.1 }.map(\.0)
        members = Self.members(eligible, nodes)
        standings = StandingReader(key, members: members.map(\.node), nodes: nodes)
        score = OriginalScore(key.strategy, key.scoring, maximumKilometres: key.maximumKilometres)
        let limit = key.strategy.isOriginal ? nil : key.maximumKilometres
        maximum = limit.map { GreatCircle.lastSquaredChord(within: Double($0) * 1000) } ?? .max
        isBiased = key.strategy == .nearest && Set(eligible.map(\.bias)).count > 1
        if !standings.looksAtNames { candidateSet = CandidateSet(Standing(), of: self) }
    }

    private static func members(_ members: [PoolMember], _ nodes: [SteeringNode]) -> [Member] {
        let byID = members.sorted { nodes[$0.node].id.utf8.lexicographicallyPrecedes(nodes[$1.node].id.utf8) }
        var idRanks: [Int: Int] = [:]
        for (rank, member) in byID.enumerated() { idRanks[member.node] = rank }
        return members.map { member in
            let node = nodes[member.node]
            return Member(
                node: member.node, slot: node.slot, idHash: node.idHash, weight: member.weight, bias: member.bias,
                tier: member.tier, isLocated: node.isLocated, point: SpherePoint(node.coordinates),
                idRank: idRanks[member.node] ?? 0)
        }
    }

    public var isEmpty: Bool { members.isEmpty }

    /// Rankings with equal order keys have the same order for every place.
    var orderKey: SteeringKey { key.ordering(members.map(\.asPoolMember)) }

    /// Whether a place's names and labels matter.
    var looksAtNames: Bool { standings.looksAtNames }

    /// Whether a place's coordinates matter.
    var looksAtDistance: Bool {
        switch key.strategy {
        case .order, .weighted: maximum != .max
        default: true
        }
    }

    /// Whether members are compared by distance, among other things.
    var comparesDistances: Bool { key.strategy != .order && key.strategy != .weighted }

    /// Whether members of one group are compared by plain distance, and only equal distances share a band.
    var isPlainDistance: Bool {
        comparesDistances && !key.strategy.isOriginal && !isBiased && maximum == .max && key.tolerance.isNone
    }

    func candidateSet(for place: Place) -> CandidateSet {
        candidateSet ?? CandidateSet(standings.standing(of: place), of: self)
    }

    /// The first `limit` candidates for a client at `place`. For clients of unknown location they are in the pool's
    /// order, each in a band of its own, unless the strategy orders without distances.
    public func order(for place: Place, limit: Int) -> [RankedCandidate] {
        order(in: candidateSet(for: place), around: place.coordinates.map(SpherePoint.init), limit: limit)
    }

    func order(in candidateSet: CandidateSet, around point: SpherePoint?, limit: Int) -> [RankedCandidate] {
        banded(candidates(in: candidateSet, around: point, limit: limit))
    }
}
