/// A cube of 2^26 units (400 km) that the surface of the unit sphere passes through. Nearby points share one.
struct GridCell: Hashable, Sendable {
    private let x: Int32
    private let y: Int32
    private let z: Int32

    private static let bits = Int64(26)

    /// The grid cell that contains a point.
    init(around point: SpherePoint) {
        x = Int32(point.x >> Self.bits)
        y = Int32(point.y >> Self.bits)
        z = Int32(point.z >> Self.bits)
    }

    /// The cell's centre. It is not on the sphere.
    var centre: SpherePoint {
        func middle(_ number: Int32) -> Int64 { Int64(number) << Self.bits + 1 << (Self.bits - 1) }
        return SpherePoint(x: middle(x), y: middle(y), z: middle(z))
    }

    /// The distance from the centre to a corner, rounded up: √3 · 2^25.
    static let reach = 58_117_982.0
}

extension CandidateSet {
    /// The subset of the candidates that contains the nearest `limit` of each group for every point of `gridCell`.
    ///
    /// Let r be the distance from the centre c within which the first `limit` of the group lie, and ρ the distance from
    /// c to a corner. From a point p of the cell, those `limit` members lie within r + ρ. So each of the nearest
    /// `limit` of p is at most r + ρ from p, and at most r + 2ρ from c. (This is the triangle inequality for chords,
    /// which are what is compared.)
    func part(around gridCell: GridCell, limit: Int) -> CandidateSet {
        let centre = gridCell.centre
        return CandidateSet(self, groups: groups.map { $0.part(around: centre, limit: limit) })
    }
}

extension CandidateSet.Group {
    fileprivate func part(around centre: SpherePoint, limit: Int) -> Self {
        guard rankGroup.isLocated, members.count > 2 * limit else { return self }
        let chords = points.map(centre.squaredChord)
        let distance = Double(Self.smallest(limit, of: chords)).squareRoot()
        // One unit more than rounding can take away.
        let bound = (distance + 2 * GridCell.reach + 1) * (distance + 2 * GridCell.reach + 1)
        return self[points.indices.filter { Double(chords[$0]) <= bound }]
    }

    /// The `count`-th smallest chord. There are at least `count` chords.
    private static func smallest(_ count: Int, of chords: [UInt64]) -> UInt64 {
        var smallest: [UInt64] = Array(repeating: .max, count: count)
        for chord in chords where chord < smallest[count - 1] {
            var position = count - 1
            while position > 0, chord < smallest[position - 1] {
                smallest[position] = smallest[position - 1]
                position -= 1
            }
            smallest[position] = chord
        }
        return smallest[count - 1]
    }
}
