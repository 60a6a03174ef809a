public import Location

/// One candidate in the order a client prefers it.
public struct RankedCandidate: Hashable, Sendable {
    /// Index of the node in the model.
    public let node: Int
    public let weight: UInt16
    /// Squared chord to the client, in units of 2^-60; 0 for clients of unknown place.
    public let squaredChord: UInt64
    /// 0 for the nearest, growing; candidates of one band are near ties.
    public let band: Int
}

/// Orders the members of one steering table around a point: by distance, ties by node id.
///
/// Members without an address of the table's family, where it has one, are no candidates.
public struct Ranking: Sendable {
    struct Member: Sendable {
        let node: Int
        let weight: UInt16
        let point: SpherePoint
        /// Position in the order of node ids.
        let idRank: Int
    }

    let members: [Member]
    let tolerance: Tolerance

    public init(_ key: SteeringKey, nodes: [SteeringNode]) {
        let eligible = key.members.filter { member in
            key.family.map { nodes[member.node].address($0) != nil } ?? true
        }
        let byID = eligible.sorted {
            nodes[$0.node].id.utf8.lexicographicallyPrecedes(nodes[$1.node].id.utf8)
        }
        var idRanks: [Int: Int] = [:]
        for (rank, member) in byID.enumerated() { idRanks[member.node] = rank }
        members = eligible.map {
            Member(
                node: $0.node, weight: $0.weight, point: SpherePoint(nodes[$0.node].coordinates),
                idRank: idRanks[$0.node] ?? 0)
        }
        tolerance = key.tolerance
    }

    public var isEmpty: Bool { members.isEmpty }

    /// The first `limit` candidates for a client at `point`; in the pool's order, each a band of its own, when
    /// the client's place is unknown.
    public func order(around point: SpherePoint?, limit: Int) -> [RankedCandidate] {
        guard let point else {
            return members.prefix(limit).enumerated().map { index, member in
                RankedCandidate(node: member.node, weight: member.weight, squaredChord: 0, band: index)
            }
        }
        return banded(nearest(point, limit: limit))
    }

    /// The first `limit` candidates for a client at `place`.
    public func order(for place: Place, limit: Int) -> [RankedCandidate] {
        order(around: place.coordinates.map(SpherePoint.init), limit: limit)
    }

    /// How every member stands for a client at `place`.
    public func explanation(for place: Place) -> RankingExplanation {
        let candidates = order(for: place, limit: members.count).map { candidate in
            RankingExplanation.Member(
                member: PoolMember(node: candidate.node, weight: candidate.weight), dropped: nil, rule: nil,
                metres: place.coordinates == nil ? nil : GreatCircle.metres(squaredChord: candidate.squaredChord),
                score: nil, milliseconds: nil, band: candidate.band)
        }
        return RankingExplanation(members: candidates, relaxation: .none, isRefused: false)
    }

    private typealias Found = (chord: UInt64, member: Int)

    /// Indices of the nearest members, by (distance, id).
    private func nearest(_ point: SpherePoint, limit: Int) -> [Found] {
        var best: [Found] = []
        best.reserveCapacity(limit + 1)
        for (index, member) in members.enumerated() {
            let chord = point.squaredChord(to: member.point)
            if best.count == limit, let worst = best.last, !precedes((chord, index), worst) { continue }
            var position = best.count
            while position > 0, precedes((chord, index), best[position - 1]) { position -= 1 }
            best.insert((chord, index), at: position)
            if best.count > limit { best.removeLast() }
        }
        return best
    }

    private func precedes(_ left: Found, _ right: Found) -> Bool {
        left.chord != right.chord
            ? left.chord < right.chord : members[left.member].idRank < members[right.member].idRank
    }

    private func banded(_ found: [Found]) -> [RankedCandidate] {
        var band = -1
        var leader: UInt64 = 0
        var reach = 0.0
        return found.map { chord, index in
            let sharesBand =
                band >= 0
                && (chord == leader || (!tolerance.isNone && GreatCircle.metres(squaredChord: chord) <= reach))
            if !sharesBand {
                band += 1
                leader = chord
                reach = tolerance.isNone ? 0 : tolerance.reach(GreatCircle.metres(squaredChord: chord))
            }
            return RankedCandidate(
                node: members[index].node, weight: members[index].weight, squaredChord: chord, band: band)
        }
    }
}
