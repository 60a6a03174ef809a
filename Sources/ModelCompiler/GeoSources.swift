import ConfigurationModel
import GeoData
import LinuxSupport
import Location

/// A city database as it is kept, so that overrides can change without reading it again.
struct CityDatabase: Sendable {
    let packed: PackedMap
    let type: String
    /// Seconds since 1970.
    let buildEpoch: UInt64
    let networks: Int
    /// Identifies the reading.
    let seconds: Double

    init(_ data: GeoData, seconds: Double) {
        packed = PackedMap(data.map)
        type = data.type
        buildEpoch = data.buildEpoch
        networks = data.networks
        self.seconds = seconds
    }
}

/// The source files of the location table.
struct GeoSources: Sendable {
    let database: GeoSource<CityDatabase>
    /// Nil when nothing needs it.
    let asns: GeoSource<ASNData>?
    let geofeed: GeoSource<Geofeed>?

    /// Reads what has changed since `earlier`.
    ///
    /// - Throws: `LoadProblem` when a file is unusable and was never read before.
    init(_ configuration: ServerConfiguration, needsASNs: Bool, earlier: GeoSources?) throws(LoadProblem) {
        let geo = configuration.geo
        let minimum = geo.minimumBuild?.day.secondsSince1970 ?? 0
        database = try GeoSource(
            geo.database, of: configuration, earlier: earlier?.database, requirement: minimum,
            refuse: { Self.refusal($0.buildEpoch, minimum: minimum, path: geo.database.path).map { [$0] } ?? [] },
            read: { path throws(LoadProblem) in try Self.database(path, minimum: minimum) })
        asns =
            try needsASNs
            ? geo.asnDatabase.map { setting throws(LoadProblem) in
                try GeoSource(setting, of: configuration, earlier: earlier?.asns, read: Self.asns)
            } : nil
        geofeed = try geo.geofeed.map { setting throws(LoadProblem) in
            try GeoSource(setting, of: configuration, earlier: earlier?.geofeed, read: Self.geofeed)
        }
    }

    /// Whether both hold the same readings.
    func isSame(as other: GeoSources) -> Bool {
        database.reading === other.database.reading && asns?.reading === other.asns?.reading
            && geofeed?.reading === other.geofeed?.reading
    }

    var problems: [String] {
        (database.failure?.problems ?? []) + (asns?.failure?.problems ?? []) + (geofeed?.failure?.problems ?? [])
    }

    var isUpToDate: Bool { database.isUpToDate && asns?.isUpToDate ?? true && geofeed?.isUpToDate ?? true }

    var paths: [String] { [database.path] + [asns?.path, geofeed?.path].compactMap { $0 } }

    // MARK: - Reading

    private static func refusal(_ buildEpoch: UInt64, minimum: UInt64, path: String) -> String? {
        tooOld(buildEpoch, minimum: minimum).map { "geographic database \(path) \($0)" }
    }

    private static func tooOld(_ buildEpoch: UInt64, minimum: UInt64) -> String? {
        guard buildEpoch < minimum else { return nil }
        let (built, needed) = (CalendarDay(secondsSince1970: buildEpoch), CalendarDay(secondsSince1970: minimum))
        return "was built on \(built), before geo.minimum_build \(needed): fetch a newer one, or set an earlier day"
    }

    private static func database(_ path: String, minimum: UInt64) throws(LoadProblem) -> CityDatabase {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(GeoDataError) {
            let data = try GeoData.load(path: path) { tooOld($0, minimum: minimum) }
            return CityDatabase(data, seconds: (clock.now - start).seconds)
        } catch {
            guard FileStamp(path) == nil else { throw LoadProblem(["\(error)"]) }
            throw LoadProblem([
                "geographic database \(path) (geo.database) does not exist, and tailored names need one: install one "
                    + "with `nearcast geo update` (for trials `make setup` fetches one), or name another file"
            ])
        }
    }

    private static func asns(_ path: String) throws(LoadProblem) -> ASNData {
        do throws(GeoDataError) { return try ASNData.load(path: path) } catch {
            throw LoadProblem(["ASN database \(error.path) \(error.problem)"])
        }
    }

    private static func geofeed(_ path: String) throws(LoadProblem) -> Geofeed {
        let advice = "check that it is a file of at most 64 MiB that nearcastd may read"
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try FileContents(path: path, limit: Geofeed.maximumSize).bytes
        } catch {
            throw LoadProblem(["geofeed \(path) cannot be read (\(error)): \(advice)"])
        }
        do throws(GeofeedError) { return try Geofeed.parse(bytes) } catch {
            throw LoadProblem(error.problems.map { "geofeed \(path):\($0.line): \($0.message)" })
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
