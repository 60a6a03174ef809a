/// The members that may serve the clients of one standing. Inside a group, the nearer member comes first.
struct CandidateSet: Sendable {
    struct Group: Sendable {
        let rankGroup: RankGroup
        /// Indices of the members, ordered by node id; in the pool's order if their location is unknown.
        fileprivate(set) var members: [Int] = []
        fileprivate(set) var points: [SpherePoint] = []

        /// The members at these positions.
        subscript(positions: [Int]) -> Group {
            var group = self
            group.members = positions.map { members[$0] }
            group.points = positions.map { points[$0] }
            return group
        }
    }

    /// Groups of one class are adjacent; classes are in the order of their members.
    let groups: [Group]
    /// Indices of all members, tier by tier, in the pool's order.
    let members: [Int]
    /// Whether geographic rules were ignored because they left no member.
    let isGeographyRelaxed: Bool
    /// Whether rules deny every member.
    let isRefused: Bool

    init(_ standing: Standing, of ranking: Ranking) {
        let all = Array(ranking.members.indices)
        let worst = standing.worstStage
        let chosen = all.filter { standing.stage($0) <= worst }
        isGeographyRelaxed = worst > 0 && !chosen.isEmpty
        isRefused = standing.isRefused && !all.isEmpty
        self.members = chosen.sorted { (ranking.members[$0].tier, $0) < (ranking.members[$1].tier, $1) }
        groups = Self.groups(chosen, standing, ranking)
    }

    init(_ candidateSet: CandidateSet, groups: [Group]) {
        self.groups = groups
        members = candidateSet.members
        isGeographyRelaxed = candidateSet.isGeographyRelaxed
        isRefused = candidateSet.isRefused
    }

    private static func groups(_ members: [Int], _ standing: Standing, _ ranking: Ranking) -> [Group] {
        var groups: [RankGroup: Group] = [:]
        for index in members.sorted(by: { ranking.members[$0].idRank < ranking.members[$1].idRank }) {
            let rankGroup = ranking.rankGroup(of: index, standing)
            groups[rankGroup, default: Group(rankGroup: rankGroup)].members.append(index)
        }
        return groups.values.map { group in
            var group = group
            if group.rankGroup.kind == .unlocated { group.members.sort() }
            group.points = group.members.map { ranking.members[$0].point }
            return group
        }.sorted { RankGroup.precedes($0.rankGroup, $1.rankGroup) }
    }
}

extension CandidateSet.Group {
    /// The first `limit` members from `point`: by distance if the group's locations are known.
    ///
    /// - Parameter maximum: the largest squared chord allowed.
    func nearest(_ point: SpherePoint, limit: Int, maximum: UInt64) -> [(chord: UInt64?, member: Int)] {
        guard rankGroup.isLocated else { return members.prefix(limit).map { (nil, $0) } }
        if limit >= points.count { return all(point, maximum: maximum) }
        var best: [(chord: UInt64?, member: Int)] = []
        best.reserveCapacity(min(limit, points.count))
        // No chord is longer than 2^62.
        var bound = maximum == .max ? maximum : maximum + 1
        for index in points.indices {
            let chord = point.squaredChord(to: points[index])
            // Among equal distances, the earlier member of the group stays ahead.
            if chord >= bound { continue }
            if best.count < limit { best.append((chord, members[index])) }
            var position = best.count - 1
            while position > 0, let before = best[position - 1].chord, chord < before {
                best[position] = best[position - 1]
                position -= 1
            }
            best[position] = (chord, members[index])
            if best.count == limit, let last = best[limit - 1].chord { bound = last }
        }
        return best
    }

    /// Every member within the maximum, sorted: faster than insertion, which matters because the full order of a large
    /// pool is computed for single queries.
    private func all(_ point: SpherePoint, maximum: UInt64) -> [(chord: UInt64?, member: Int)] {
        let found = points.indices.map { (chord: point.squaredChord(to: points[$0]), index: $0) }
        return found.filter { $0.chord <= maximum }.sorted { $0 < $1 }.map { ($0.chord, members[$0.index]) }
    }
}
