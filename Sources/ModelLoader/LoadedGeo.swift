import GeoData
public import Location
import ServerConfiguration

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
    /// Why what the file holds now is not used: the database read before stays.
    public internal(set) var failure: Failure?
    /// Hash of what decides answers: the table, and where the places are.
    let digest: UInt64
    /// Nil without a database.
    private(set) var file: FileStamp?

    public struct Failure: Sendable {
        public let problems: [String]
        /// The file that failed; nil where there is none.
        let file: FileStamp?
        let path: String

        /// Whether trying again would end as before.
        var isCurrent: Bool { file?.isCurrent ?? (FileStamp(path) == nil) }
    }

    var isUpToDate: Bool {
        guard let failure else { return file?.isUpToDate ?? true }
        return failure.file?.isUpToDate ?? (FileStamp(failure.path) == nil)
    }

    private init(_ places: PlaceTable, _ table: LocationTable, _ summary: GeoSummary, _ file: FileStamp?) {
        self.places = places
        self.table = table
        self.summary = summary
        self.file = file
        var digest = ModelDigest()
        digest.add(table.bytes)
        for place in 0..<places.count {
            let coordinates = places.coordinates(place)
            digest.add(coordinates?.latitude ?? .max)
            digest.add(coordinates?.longitude ?? .max)
        }
        self.digest = digest.value
    }

    /// Reads and compiles the database at `path`.
    ///
    /// - Throws: `LoadProblem` when it cannot be read, is damaged, or does not fit the table.
    public static func load(path: String) throws(LoadProblem) -> LoadedGeo {
        let clock = ContinuousClock()
        let start = clock.now
        // Before the reading: what is written meanwhile makes the file another one than the stamp's.
        let file = FileStamp(path)
        do {
            let data = try GeoData.load(path: path)
            let table = try LocationTable(v4: data.v4, v6: data.v6)
            let took = clock.now - start
            let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18
            let summary = GeoSummary(
                path: path, type: data.type, buildEpoch: data.buildEpoch, networks: data.networks,
                places: data.places.count, mixedBlocks: table.mixedBlocks, seconds: seconds)
            return LoadedGeo(data.places, table, summary, file)
        } catch let error as GeoDataError {
            throw LoadProblem(["\(error)"])
        } catch {
            throw LoadProblem(["geographic database \(path) does not fit the location table: \(error)"])
        }
    }
}

extension LoadedGeo {
    /// The database that a configuration needs: the one loaded before where its file is the same.
    ///
    /// A file that cannot be used any more leaves the database read from it in use, with `failure`.
    /// - Throws: `LoadProblem` when there is none to use.
    static func load(
        for configuration: ServerConfiguration, earlier: LoadedGeo?, _ effort: LoadingEffort
    ) throws(LoadProblem) -> LoadedGeo {
        guard !configuration.tailored.isEmpty else { return .none }
        let path = configuration.geo.database.path
        let known = earlier.flatMap { $0.file?.path == path ? $0 : nil }
        if let known {
            if let failure = known.failure, failure.isCurrent { return known }
            if known.file?.isCurrent == true {
                var known = known
                known.failure = nil
                return known
            }
        }
        effort.isLongNow()
        do throws(LoadProblem) {
            let next = try load(path: path)
            // Touched, or written at the time it was read first: what is the same goes on.
            guard var known, known.digest == next.digest, known.summary.buildEpoch == next.summary.buildEpoch else {
                return next
            }
            known.failure = nil
            known.file = next.file
            return known
        } catch {
            let problems = error.problems.map { "\(configuration.problem(at: configuration.geo.database.mark, $0))" }
            guard var known else { throw LoadProblem(problems) }
            known.failure = Failure(problems: problems, file: FileStamp(path), path: path)
            return known
        }
    }

    /// No database: every address is of unknown place. Enough where no name is tailored.
    static let none: LoadedGeo = {
        let summary = GeoSummary(
            path: "", type: "", buildEpoch: 0, networks: 0, places: 1, mixedBlocks: 0, seconds: 0)
        do {
            return LoadedGeo(PlaceTable(), try LocationTable(v4: PlaceRanges(), v6: PlaceRanges()), summary, nil)
        } catch {
            // One place and no node are within every limit.
            preconditionFailure("an empty location table exceeds a limit: \(error)")
        }
    }()
}
