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
        var found: [Place] = [.unknown]
        found.reserveCapacity(walk.entries.count)
        for entry in walk.entries.dropFirst() { found.append(reader.place(entry)) }
        guard found.contains(where: { $0.coordinates != nil }) else {
            throw GeoDataError(path: path, problem: "holds no coordinates: a City database is needed")
        }
        let (places, renumbered) = numberByContent(found)
        return GeoData(
            places: PlaceTable(places), v4: walk.v4.renumbered(renumbered), v6: walk.v6.renumbered(renumbered),
            networks: walk.networks, buildEpoch: database.buildEpoch, type: database.type)
    }
}

/// Numbers distinct places in the order of their content.
///
/// - Returns: the places in that order, and the new number of each that was given.
private func numberByContent(_ found: [Place]) -> (places: [Place], numbers: [UInt32]) {
    // Numbers are sorted, not places: a place holds four strings, and each move would count their references.
    let keys = found.map { coordinateKey($0.coordinates) }
    let order = (0..<found.count).sorted {
        keys[$0] != keys[$1] ? keys[$0] < keys[$1] : found[$0] < found[$1]
    }
    var places: [Place] = [.unknown]
    var numbers = [UInt32](repeating: 0, count: found.count)
    for index in order {
        if found[index] != places[places.count - 1] { places.append(found[index]) }
        numbers[index] = UInt32(places.count - 1)
    }
    return (places, numbers)
}

/// A number that orders coordinates as they compare, absent ones first: most comparisons end here.
private func coordinateKey(_ coordinates: Coordinates?) -> UInt64 {
    guard let coordinates else { return 0 }
    func unsigned(_ value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value) ^ 0x8000_0000) }
    return unsigned(coordinates.latitude) << 32 | unsigned(coordinates.longitude)
}
