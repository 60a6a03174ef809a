import GeoData
public import Location

/// What is told of a geographic database.
public struct GeoSummary: Sendable {
    public let path: String
    public let type: String
    /// Seconds since 1970.
    public let buildEpoch: UInt64
    public let networks: Int
    public let places: Int
    /// Blocks at the ECS cap that hold finer data.
    public let mixedBlocks: Int
    /// Reading and compiling together.
    public let seconds: Double
}

/// A geographic database, compiled.
public struct LoadedGeo: Sendable {
    public let places: PlaceTable
    public let table: LocationTable
    public let summary: GeoSummary

    /// Reads and compiles the database at `path`.
    ///
    /// - Throws: `LoadProblem` when it cannot be read, is damaged, or does not fit the table.
    public static func load(path: String) throws(LoadProblem) -> LoadedGeo {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let data = try GeoData.load(path: path)
            let table = try LocationTable(v4: data.v4, v6: data.v6)
            let took = clock.now - start
            let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18
            let summary = GeoSummary(
                path: path, type: data.type, buildEpoch: data.buildEpoch, networks: data.networks,
                places: data.places.count, mixedBlocks: table.mixedBlocks, seconds: seconds)
            return LoadedGeo(places: data.places, table: table, summary: summary)
        } catch let error as GeoDataError {
            throw LoadProblem(["\(error)"])
        } catch {
            throw LoadProblem(["geographic database \(path) does not fit the location table: \(error)"])
        }
    }
}

extension LoadedGeo {
    /// No database: every address is of unknown place. Enough where no name is tailored.
    static let none: LoadedGeo = {
        let summary = GeoSummary(
            path: "", type: "", buildEpoch: 0, networks: 0, places: 1, mixedBlocks: 0, seconds: 0)
        do {
            return LoadedGeo(
                places: PlaceTable(), table: try LocationTable(v4: PlaceRanges(), v6: PlaceRanges()), summary: summary)
        } catch {
            // One place and no node are within every limit.
            preconditionFailure("an empty location table exceeds a limit: \(error)")
        }
    }()
}
