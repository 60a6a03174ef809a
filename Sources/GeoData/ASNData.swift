import CMaxMindDB
public import Location

/// An ASN database, read completely: the AS number of each address, 0 for none.
public struct ASNData: Sendable {
    public let v4: PlaceRanges<UInt32>
    public let v6: PlaceRanges<UInt128>
    /// When the database was built, in seconds since 1970.
    public let buildEpoch: UInt64

    /// Reads an MMDB file whose records hold a number (`autonomous_system_number`) or a text (`asn`, such as
    /// "AS64500").
    ///
    /// - Throws: `GeoDataError` when the file cannot be read, is damaged, or holds no AS number at all.
    public static func load(path: String) throws(GeoDataError) -> ASNData {
        let database = try GeoDatabase(path: path)
        var walk = TreeWalk(database)
        try walk.run()
        let number = RecordPath("autonomous_system_number")
        let text = RecordPath("asn")
        let numbers =
            [0]
            + walk.entries.dropFirst().map { entry in number.number(entry) ?? text.text(entry).flatMap(Self.parse) ?? 0
            }
        guard numbers.contains(where: { $0 != 0 }) else {
            throw GeoDataError(path: path, problem: "holds no AS numbers: an ASN database is needed")
        }
        return ASNData(
            v4: walk.v4.renumbered(numbers), v6: walk.v6.renumbered(numbers), buildEpoch: database.buildEpoch)
    }

    /// Reads `AS64500`.
    private static func parse(_ text: String) -> UInt32? {
        UInt32(text.hasPrefix("AS") ? text.dropFirst(2) : text[...])
    }

    /// The members of `asns` that have no address.
    public func missing(of asns: Set<UInt32>) -> Set<UInt32> {
        var missing = asns
        for asn in v4.places { missing.remove(asn) }
        for asn in v6.places { missing.remove(asn) }
        return missing
    }
}
