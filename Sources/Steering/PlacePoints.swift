import Location

/// The points that places lie at: places differ by their names too, but only the point is ranked from.
struct PlacePoints {
    /// In order of the first place at each; nil for places without coordinates.
    let distinct: [Coordinates?]
    /// Place → index of its point.
    let ofPlace: [UInt32]

    init(_ places: PlaceTable) {
        var numbers: [Coordinates?: UInt32] = [:]
        var distinct: [Coordinates?] = []
        ofPlace = (0..<places.count).map { place in
            let coordinates = places.coordinates(place)
            if let number = numbers[coordinates] { return number }
            let number = UInt32(distinct.count)
            numbers[coordinates] = number
            distinct.append(coordinates)
            return number
        }
        self.distinct = distinct
    }
}
