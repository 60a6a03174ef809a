/// A cube of 2^26 units (400 km) beside the unit sphere's surface: points that lie near each other share one.
struct Cube: Hashable, Sendable {
    private let x: Int32
    private let y: Int32
    private let z: Int32

    private static let bits = Int64(26)

    /// The cube that holds a point.
    init(around point: SpherePoint) {
        x = Int32(point.x >> Self.bits)
        y = Int32(point.y >> Self.bits)
        z = Int32(point.z >> Self.bits)
    }

    /// Its middle; not on the sphere.
    var centre: SpherePoint {
        func middle(_ number: Int32) -> Int64 { Int64(number) << Self.bits + 1 << (Self.bits - 1) }
        return SpherePoint(x: middle(x), y: middle(y), z: middle(z))
    }

    /// From the middle to a corner, rounded up: √3 · 2^25.
    static let reach = 58_117_982.0
}

extension Field {
    /// The part of the field in which the nearest `limit` of each group are, for every point of `cube`.
    ///
    /// Let r be the distance from the middle c at which the group's first `limit` are met, and ρ that from c to a corner. From
    /// a point p of the cube these lie within r + ρ, so that whoever is among the first from p is no farther from p, and
    /// no farther than r + 2ρ from c. (Triangle inequality of straight distances, the ones compared.)
    func part(around cube: Cube, limit: Int) -> Field {
        let centre = cube.centre
        return Field(self, groups: groups.map { $0.part(around: centre, limit: limit) })
    }
}

extension Field.Group {
    fileprivate func part(around centre: SpherePoint, limit: Int) -> Self {
        guard circumstance.isLocated, members.count > 2 * limit else { return self }
        let chords = points.map(centre.squaredChord)
        let distance = Double(Self.smallest(limit, of: chords)).squareRoot()
        // A unit more than enough for what rounding takes away.
        let bound = (distance + 2 * Cube.reach + 1) * (distance + 2 * Cube.reach + 1)
        return self[points.indices.filter { Double(chords[$0]) <= bound }]
    }

    /// The smallest number of which there are `count` that are not larger; there are so many.
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
