import CFastPathABI

/// Members of a group as seen from a grid cell, ordered by distance from its centre.
struct Vicinity {
    struct Member {
        let point: SpherePoint
        /// Index in the ranking.
        let index: Int
        /// No point of the cell has a smaller squared chord to this member or to the ones after it.
        let least: UInt64
    }

    let members: [Member]

    init(_ group: CandidateSet.Group, of gridCell: GridCell) {
        let centre = gridCell.centre
        members = group.points.indices.map { (chord: centre.squaredChord(to: group.points[$0]), index: $0) }
            .sorted { $0 < $1 }
            .map { chord, index in
                // The triangle inequality for chords, less one unit for rounding.
                let nearest = max(Double(chord).squareRoot() - GridCell.reach - 1, 0)
                return Member(
                    point: group.points[index], index: group.members[index], least: UInt64(nearest * nearest))
            }
    }
}

/// The nearest members of a vicinity in order, if distance alone decides and no two are equally near.
struct NearestMembers {
    private let limit: Int
    private var chords: [UInt64]
    /// Node index of each member found, nearest first.
    private var nodes: [Int]
    private var count = 0
    /// By index in the ranking.
    private let nodeOfMember: [Int]

    init(of ranking: Ranking, limit: Int) {
        self.limit = limit
        chords = Array(repeating: 0, count: limit)
        nodes = Array(repeating: 0, count: limit)
        nodeOfMember = ranking.members.map(\.node)
    }

    /// Finds the nearest members. Returns false if two of them are equally near.
    mutating func find(in vicinity: Vicinity, around point: SpherePoint) -> Bool {
        count = 0
        var bound = UInt64.max
        for member in vicinity.members {
            // This member and all after it are farther than the bound.
            guard member.least < bound else { break }
            let chord = point.squaredChord(to: member.point)
            guard chord < bound else { continue }
            var position = count == limit ? limit - 1 : count
            while position > 0, chord < chords[position - 1] {
                chords[position] = chords[position - 1]
                nodes[position] = nodes[position - 1]
                position -= 1
            }
            chords[position] = chord
            nodes[position] = nodeOfMember[member.index]
            if count < limit { count += 1 }
            if count == limit { bound = chords[limit - 1] }
        }
        for position in 1..<max(count, 1) where chords[position] == chords[position - 1] { return false }
        return true
    }

    /// The candidates that a list holds.
    var local: ArraySlice<Int> { nodes[0..<min(count, Int(NC_LOCAL_CANDIDATES))] }

    /// The members behind it, as in `ListedOrder.behind`.
    var behind: ArraySlice<Int> { nodes[local.count..<(isComplete ? count : count - 1)] }

    /// Whether `local` and `behind` together are all members.
    var isComplete: Bool { count < limit }
}
