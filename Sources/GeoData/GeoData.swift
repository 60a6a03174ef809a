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
    /// Places are numbered by how much of the IPv4 address space is there, most first, then by their content: the same
    /// data gives the same numbers, whatever the order in the file, and what is looked up by place for most clients lies
    /// close together.
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
        let (places, renumbered) = number(found, sizes: addressCounts(walk.v4, places: found.count))
        return GeoData(
            places: PlaceTable(places), v4: walk.v4.renumbered(renumbered), v6: walk.v6.renumbered(renumbered),
            networks: walk.networks, buildEpoch: database.buildEpoch, type: database.type)
    }
}

/// Addresses of each place.
private func addressCounts(_ ranges: PlaceRanges<UInt32>, places: Int) -> [UInt64] {
    var counts = [UInt64](repeating: 0, count: places)
    for (index, place) in ranges.places.enumerated() {
        let end = index + 1 < ranges.starts.count ? UInt64(ranges.starts[index + 1]) : 1 << 32
        counts[Int(place)] += end - UInt64(ranges.starts[index])
    }
    return counts
}

/// Numbers distinct places by size, the largest first, then in the order of their content; the unknown place is 0.
///
/// - Returns: the places in that order, and the new number of each that was given.
private func number(_ found: [Place], sizes: [UInt64]) -> (places: [Place], numbers: [UInt32]) {
    // Numbers are sorted, not places: a place holds four strings, and each move would count their references.
    let keys = found.map { coordinateKey($0.coordinates) }
    let byContent = found.indices.sorted { keys[$0] != keys[$1] ? keys[$0] < keys[$1] : found[$0] < found[$1] }
    // Records of equal content are one place.
    var distinct: [(first: Int, size: UInt64)] = [(0, .max)]
    var merged = [Int](repeating: 0, count: found.count)
    for index in byContent where found[index] != .unknown {
        if found[index] != found[distinct[distinct.count - 1].first] { distinct.append((index, 0)) }
        if distinct.count > 1 { distinct[distinct.count - 1].size += sizes[index] }
        merged[index] = distinct.count - 1
    }
    let order = distinct.indices.sorted {
        distinct[$0].size != distinct[$1].size ? distinct[$0].size > distinct[$1].size : $0 < $1
    }
    var ranks = [UInt32](repeating: 0, count: distinct.count)
    for (rank, number) in order.enumerated() { ranks[number] = UInt32(rank) }
    return (order.map { found[distinct[$0].first] }, merged.map { ranks[$0] })
}

/// A number that orders coordinates as they compare, absent ones first: most comparisons end here.
private func coordinateKey(_ coordinates: Coordinates?) -> UInt64 {
    guard let coordinates else { return 0 }
    func unsigned(_ value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value) ^ 0x8000_0000) }
    return unsigned(coordinates.latitude) << 32 | unsigned(coordinates.longitude)
}
