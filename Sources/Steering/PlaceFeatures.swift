import Location

/// The features of places that tables look at. Many places share a feature, and each distinct one is ranked once.
struct PlaceFeatures {
    /// Distinct values of places, numbered in order of first appearance.
    struct Numbered<Value: Hashable> {
        private(set) var distinct: [Value] = []
        /// Place → number of its value.
        private(set) var ofPlace: [UInt32] = []

        init(_ values: some Sequence<Value>) {
            var numbers: [Value: UInt32] = [:]
            for value in values {
                let next = UInt32(distinct.count)
                let number = numbers[value] ?? next
                if number == next {
                    numbers[value] = number
                    distinct.append(value)
                }
                ofPlace.append(number)
            }
        }
    }

    let count: Int
    let hasNames: Bool
    /// Nil for places without coordinates.
    let points: Numbered<Coordinates?>
    /// Of the distinct points.
    let spherePoints: [SpherePoint?]
    /// Distinct point → number of the grid cell that contains it. Meaningless without coordinates.
    let gridCellOfPoint: [UInt32]
    let gridCells: Int
    /// Places without their coordinates and cities; empty unless requested.
    let names: Numbered<Place>

    init(_ places: PlaceTable, withNames: Bool) {
        count = places.count
        hasNames = withNames
        points = Numbered((0..<places.count).lazy.map(places.coordinates))
        spherePoints = points.distinct.map { $0.map(SpherePoint.init) }
        let gridCells = Numbered(spherePoints.lazy.map { GridCell(around: $0 ?? SpherePoint(x: 0, y: 0, z: 0)) })
        gridCellOfPoint = gridCells.ofPlace
        self.gridCells = gridCells.distinct.count
        names = Numbered(
            (0..<(withNames ? places.count : 0)).lazy.map { number in
                var place = places[number]
                place.coordinates = nil
                place.city = nil
                return place
            })
    }
}
