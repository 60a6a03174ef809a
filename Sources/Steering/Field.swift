/// The members that may serve the clients of one standing, in groups inside which the nearer comes first.
struct Field: Sendable {
    struct Group: Sendable {
        let circumstance: Circumstance
        /// Indices of the members, in the order of their ids; in the pool's where their place is unknown.
        fileprivate(set) var members: [Int] = []
        fileprivate(set) var points: [SpherePoint] = []
    }

    /// Groups of one class are neighbours; classes come in the order of their members.
    let groups: [Group]
    /// Indices of all members, tier by tier, in the pool's order.
    let members: [Int]
    /// Whether rules of geography were given up, because they left nobody.
    let isGeographyRelaxed: Bool
    /// Whether rules deny every member.
    let isRefused: Bool

    init(_ standing: Standing, of ranking: Ranking) {
        let all = Array(ranking.members.indices)
        func members(upTo stage: UInt8) -> [Int] {
            standing.stages.isEmpty ? all : all.filter { standing.stages[$0] <= stage }
        }
        var chosen = members(upTo: 0)
        if chosen.isEmpty { chosen = members(upTo: 1) }
        isGeographyRelaxed = chosen.contains { !standing.stages.isEmpty && standing.stages[$0] > 0 }
        isRefused = chosen.isEmpty && !all.isEmpty
        self.members = chosen.sorted { (ranking.members[$0].tier, $0) < (ranking.members[$1].tier, $1) }
        groups = Self.groups(chosen, standing, ranking)
    }

    private static func groups(_ members: [Int], _ standing: Standing, _ ranking: Ranking) -> [Group] {
        var groups: [Circumstance: Group] = [:]
        for index in members.sorted(by: { ranking.members[$0].idRank < ranking.members[$1].idRank }) {
            let circumstance = ranking.circumstance(of: index, standing)
            groups[circumstance, default: Group(circumstance: circumstance)].members.append(index)
        }
        return groups.values.map { group in
            var group = group
            if group.circumstance.kind == .unlocated { group.members.sort() }
            group.points = group.members.map { ranking.members[$0].point }
            return group
        }.sorted { Circumstance.precedes($0.circumstance, $1.circumstance) }
    }
}

extension Field.Group {
    /// The first `limit` members from `point`, by distance where the group's places are known.
    ///
    /// - Parameter maximum: the largest squared chord that counts.
    func nearest(_ point: SpherePoint, limit: Int, maximum: UInt64) -> [(chord: UInt64?, member: Int)] {
        guard circumstance.isLocated else { return members.prefix(limit).map { (nil, $0) } }
        var best: [(chord: UInt64, index: Int)] = []
        best.reserveCapacity(min(limit, points.count) + 1)
        var bound = maximum
        for index in points.indices {
            let chord = point.squaredChord(to: points[index])
            // Of equally near ones the first in the group stays ahead.
            if chord > bound { continue }
            if best.count == limit {
                if chord == bound, chord == best[limit - 1].chord { continue }
                best.removeLast()
            }
            var position = best.count
            while position > 0, chord < best[position - 1].chord { position -= 1 }
            best.insert((chord, index), at: position)
            if best.count == limit { bound = best[limit - 1].chord }
        }
        return best.map { ($0.chord, members[$0.index]) }
    }
}
