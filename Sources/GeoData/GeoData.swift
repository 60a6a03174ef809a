public import Location

/// A geographic database, read completely: its places by number, and the place of each address.
public struct GeoData: Sendable {
    public let places: PlaceTable
    public let v4: PlaceRanges<UInt32>
    public let v6: PlaceRanges<UInt128>
    /// Networks in the file that hold data, both families.
    public let networks: Int
    /// Nodes of the file's search tree.
    public let nodes: Int
    /// When the database was built, in seconds since 1970.
    public let buildEpoch: UInt64
    /// The database's own type name, such as "DBIP-City-Lite".
    public let type: String

    /// The place of each address.
    public var map: PlaceMap { PlaceMap(places: places, v4: v4, v6: v6) }

    /// Reads every network of an MMDB file with City layout.
    ///
    /// Places are numbered by the IPv4 address space they cover, largest first, then by content. So the same data gives
    /// the same numbers, whatever the order in the file, and the places of most clients are close together in memory.
    ///
    /// - Throws: `GeoDataError` when the file cannot be read, is damaged, or holds no place at all.
    ///
    /// - Parameter refuse: why a database built at that time (seconds since 1970) is not accepted, or nil. Called
    ///   before the data is read.
    public static func load(
        path: String, refuse: (UInt64) -> String? = { _ in nil }
    ) throws(GeoDataError) -> GeoData {
        let database = try GeoDatabase(path: path)
        if let problem = refuse(database.buildEpoch) { throw GeoDataError(path: path, problem: problem) }
        var walk = TreeWalk(database)
        try walk.run()

        let reader = PlaceReader()
        var found: [Place] = [.unknown]
        found.reserveCapacity(walk.entries.count)
        for entry in walk.entries.dropFirst() { found.append(reader.place(entry)) }
        guard found.contains(where: { $0.coordinates != nil }) else {
            throw GeoDataError(path: path, problem: "holds no coordinates: a City database is needed")
        }
        let (places, renumbered) = number(found, sizes: walk.v4.sizes(count: found.count))
        return GeoData(
            places: PlaceTable(places), v4: walk.v4.renumbered(renumbered), v6: walk.v6.renumbered(renumbered),
            networks: walk.networks, nodes: Int(database.nodeCount), buildEpoch: database.buildEpoch,
            type: database.type)
    }
}

/// Numbers distinct places by size, the largest first, then by content. The unknown place is 0.
///
/// - Returns: the places in that order, and the new number of each input place.
private func number(_ found: [Place], sizes: [UInt64]) -> (places: [Place], numbers: [UInt32]) {
    // Sorts numbers, not places: a place holds four strings, and each move would count their references.
    let keys = found.map { coordinateKey($0.coordinates) }
    let byContent = found.indices.sorted { keys[$0] != keys[$1] ? keys[$0] < keys[$1] : found[$0] < found[$1] }
    // Records of equal content are one place.
    var distinct: [(first: Int, size: UInt64)] = [(0, 0)]
    var merged = [Int](repeating: 0, count: found.count)
    for index in byContent where found[index] != .unknown {
        if found[index] != found[distinct[distinct.count - 1].first] { distinct.append((index, 0)) }
        if distinct.count > 1 { distinct[distinct.count - 1].size += sizes[index] }
        merged[index] = distinct.count - 1
    }
    let order = orderBySize(distinct.map(\.size))
    let ranks = ranks(of: order)
    return (order.map { found[distinct[Int($0)].first] }, merged.map { ranks[$0] })
}

/// A sort key for coordinates, absent ones first: most comparisons end here.
private func coordinateKey(_ coordinates: Coordinates?) -> UInt64 {
    guard let coordinates else { return 0 }
    func unsigned(_ value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value) ^ 0x8000_0000) }
    return unsigned(coordinates.latitude) << 32 | unsigned(coordinates.longitude)
}
