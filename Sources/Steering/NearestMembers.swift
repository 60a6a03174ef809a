import CFastPathABI

/// Members of a group as seen from a cube: those who are nearer to its middle come first.
struct Vicinity {
    struct Member {
        let point: SpherePoint
        /// Index in the ranking.
        let index: Int
        /// No point of the cube has a smaller squared chord to this member, or to those behind it.
        let least: UInt64
    }

    let members: [Member]

    init(_ group: Field.Group, of cube: Cube) {
        let centre = cube.centre
        members = group.points.indices.map { (chord: centre.squaredChord(to: group.points[$0]), index: $0) }
            .sorted { $0 < $1 }
            .map { chord, index in
                // Straight distances (triangle inequality); a unit less than enough for what rounding adds.
                let nearest = max(Double(chord).squareRoot() - Cube.reach - 1, 0)
                return Member(
                    point: group.points[index], index: group.members[index], least: UInt64(nearest * nearest))
            }
    }
}

/// The nearest members of a vicinity, each nearer than the next: their order, where distance alone decides.
struct NearestMembers {
    private let limit: Int
    private var chords: [UInt64]
    /// Their nodes.
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

    /// Whether no two are equally near.
    mutating func find(in vicinity: Vicinity, around point: SpherePoint) -> Bool {
        count = 0
        var bound = UInt64.max
        for member in vicinity.members {
            // Whoever comes next is not nearer than this.
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

    /// The candidates of a list.
    var local: ArraySlice<Int> { nodes[0..<min(count, Int(NC_LOCAL_CANDIDATES))] }

    /// Those who come behind it, as `ListedOrder.behind`.
    var behind: ArraySlice<Int> { nodes[local.count..<(isComplete ? count : count - 1)] }

    /// Whether both together are all members.
    var isComplete: Bool { count < limit }
}
