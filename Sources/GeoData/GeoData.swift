public import Location

/// A geographic database, read whole: its places by number, and which addresses are where.
public struct GeoData: Sendable {
    public let places: PlaceTable
    public let v4: PlaceRanges<UInt32>
    public let v6: PlaceRanges<UInt128>
    /// Networks in the file that hold data, both families.
    public let networks: Int
    /// When the database was built, in seconds since 1970.
    public let buildEpoch: UInt64
    /// The file's own word for its kind, as "DBIP-City-Lite".
    public let type: String

    /// Reads an MMDB file of City layout, every network of it.
    ///
    /// Places are numbered in order of their content: the same data gives the same numbers, whatever the
    /// order in the file.
    ///
    /// - Throws: `GeoDataError` when the file cannot be read, is damaged, or knows no place at all.
    public static func load(path: String) throws(GeoDataError) -> GeoData {
        let database = try GeoDatabase(path: path)
        var walk = TreeWalk(database)
        try walk.run()

        let reader = PlaceReader()
        var found: [(place: Place, number: UInt32)] = []
        found.reserveCapacity(walk.entries.count)
        for number in 1..<max(1, walk.entries.count) {
            found.append((reader.place(walk.entries[number]), UInt32(number)))
        }
        guard found.contains(where: { $0.place.coordinates != nil }) else {
            throw GeoDataError(path: path, problem: "holds no coordinates: a City database is needed")
        }
        found.sort { $0.place < $1.place }

        var places: [Place] = [.unknown]
        var renumbered = [UInt32](repeating: 0, count: walk.entries.count)
        for (place, number) in found {
            if place != places[places.count - 1] { places.append(place) }
            renumbered[Int(number)] = UInt32(places.count - 1)
        }
        return GeoData(
            places: PlaceTable(places), v4: walk.v4.renumbered(renumbered), v6: walk.v6.renumbered(renumbered),
            networks: walk.networksV4 + walk.networksV6, buildEpoch: database.buildEpoch, type: database.type)
    }
}
