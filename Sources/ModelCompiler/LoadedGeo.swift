public import ConfigurationModel
import GeoData
import IPNetworks
public import Location

/// What is told of a geographic database.
public struct GeoSummary: Sendable {
    public let path: String
    public let type: String
    /// Seconds since 1970.
    public let buildEpoch: UInt64
    public let networks: Int
    /// With those that overrides make.
    public let places: Int
    /// Blocks at the ECS cap that hold finer data.
    public let mixedBlocks: Int
    /// Reading and compiling together.
    public let seconds: Double
}

/// Where addresses are, compiled: the city database, and what is said over it.
public struct LoadedGeo: Sendable {
    public let places: PlaceTable
    public let table: LocationTable
    public let summary: GeoSummary
    /// What is used, but hardly meant.
    public let warnings: [String]
    /// Hash of what decides answers: the table, and what the places are.
    let digest: UInt64
    /// Nil without a database.
    private var sources: GeoSources?
    private var statements: GeoStatements?
    /// What the files say now where it does not go together: what went together before stays.
    private var rejected: Rejected?

    private struct Rejected: Sendable {
        let problems: [String]
        let sources: GeoSources
    }

    /// Why what the files hold now is not used, each with place and remedy. What was read before stays.
    public var problems: [String] { (rejected?.problems ?? []) + ((rejected?.sources ?? sources)?.problems ?? []) }

    /// Files whose change may change it.
    public var paths: [String] { sources?.paths ?? [] }

    var isUpToDate: Bool { (rejected?.sources ?? sources)?.isUpToDate ?? true }

    private static func digest(_ table: LocationTable, _ places: PlaceTable) -> UInt64 {
        var digest = ModelDigest()
        digest.add(table.bytes)
        places.visitContent(number: { digest.add($0) }, text: { digest.add($0) })
        return digest.value
    }

    /// Puts together what the files hold and the configuration says.
    ///
    /// - Throws: `LoadProblem` when they do not go together, or do not fit the table.
    private init(
        _ sources: GeoSources, _ statements: GeoStatements, _ configuration: ServerConfiguration
    ) throws(LoadProblem) {
        let clock = ContinuousClock()
        let start = clock.now
        let (database, path) = (sources.database.content, sources.database.path)
        let (layers, leftOut) = statements.layers(
            asns: sources.asns?.content, geofeed: sources.geofeed, places: database.packed.places)
        let map = layers.applied(to: database.packed.map)
        do throws(LocationTableError) { table = try LocationTable(v4: map.v4, v6: map.v6) } catch {
            throw LoadProblem(["geographic database \(path) does not fit the location table: \(error)"])
        }
        places = map.places
        digest = Self.digest(table, places)
        summary = GeoSummary(
            path: path, type: database.type, buildEpoch: database.buildEpoch, networks: database.networks,
            places: places.count, mixedBlocks: table.mixedBlocks,
            seconds: database.seconds + (clock.now - start).seconds)
        warnings = Self.warnings(sources, configuration) + leftOut
        (self.sources, self.statements) = (sources, statements)
    }

    private static func warnings(_ sources: GeoSources, _ configuration: ServerConfiguration) -> [String] {
        var warnings: [String] = []
        let long = configuration.geo.overrides.filter { $0.prefix.length > ($0.prefix.family == .v4 ? 24 : 56) }
        if let first = long.first {
            let message =
                "\(first.prefix)\(long.count > 1 ? " and \(long.count - 1) more" : "") of geo.overrides is longer than what "
                + "EDNS Client Subnet tells (/24, /56): it binds only senders without it"
            warnings.append("\(configuration.problem(at: first.mark, message))")
        }
        guard let asns = sources.asns else { return warnings }
        let missing = asns.content.missing(of: Set(configuration.geo.asns.map(\.asn)))
        for entry in configuration.geo.asns where missing.contains(entry.asn) {
            let message = "AS\(entry.asn) has no address in \(asns.path): correct the number"
            warnings.append("\(configuration.problem(at: entry.mark, message))")
        }
        return warnings
    }
}

extension LoadedGeo {
    /// What a configuration needs: what was loaded before where its files and what it says are the same.
    ///
    /// A file that cannot be used any more leaves what was read from it in use, with `problems`.
    /// - Parameters:
    ///   - labels: what rules name, for places to be labelled with.
    ///   - effort: told when it turns out that this takes long.
    /// - Throws: `LoadProblem` when there is nothing to use.
    public static func load(
        for configuration: ServerConfiguration, labels: LabelNeeds = .none, earlier: LoadedGeo?,
        effort: LoadingEffort = LoadingEffort()
    ) throws(LoadProblem) -> LoadedGeo {
        guard !configuration.tailored.isEmpty else { return .none }
        let statements = GeoStatements(configuration.geo, labels: labels)
        let before = earlier?.rejected?.sources ?? earlier?.sources
        let sources = try GeoSources(configuration, needsASNs: !statements.asns.isEmpty, earlier: before)
        let known = earlier.flatMap { $0.statements == statements ? $0 : nil }
        if let known, let before, before.isSame(as: sources) {
            return known.rejected.map { known.rejecting(sources, $0.problems) } ?? known.using(sources)
        }
        effort.isLongNow()
        do throws(LoadProblem) {
            let next = try LoadedGeo(sources, statements, configuration)
            // Touched, or said in other words: what is the same goes on.
            guard let earlier, earlier.digest == next.digest, earlier.summary.buildEpoch == next.summary.buildEpoch,
                earlier.summary.path == next.summary.path
            else { return next }
            return next.keeping(earlier)
        } catch {
            let problems = error.problems.map { "\(configuration.problem(at: configuration.geo.database.mark, $0))" }
            guard let known else { throw LoadProblem(problems) }
            return known.rejecting(sources, problems)
        }
    }

    private func using(_ sources: GeoSources) -> LoadedGeo {
        var same = self
        (same.sources, same.rejected) = (sources, nil)
        return same
    }

    private func rejecting(_ sources: GeoSources, _ problems: [String]) -> LoadedGeo {
        var same = self
        same.rejected = Rejected(problems: problems, sources: sources)
        return same
    }

    /// The same with the table of `earlier`, which is equal and in use.
    private func keeping(_ earlier: LoadedGeo) -> LoadedGeo {
        LoadedGeo(self, places: earlier.places, table: earlier.table)
    }

    private init(_ other: LoadedGeo, places: PlaceTable, table: LocationTable) {
        self.places = places
        self.table = table
        summary = other.summary
        warnings = other.warnings
        digest = other.digest
        (sources, statements, rejected) = (other.sources, other.statements, nil)
    }

    /// No database: every address is of unknown place. Enough where no name is tailored.
    static let none: LoadedGeo = {
        do {
            let table = try LocationTable(v4: PlaceRanges(), v6: PlaceRanges())
            return LoadedGeo(table)
        } catch {
            // One place and no node are within every limit.
            preconditionFailure("an empty location table exceeds a limit: \(error)")
        }
    }()

    private init(_ empty: LocationTable) {
        table = empty
        places = PlaceTable()
        summary = GeoSummary(
            path: "", type: "", buildEpoch: 0, networks: 0, places: 1, mixedBlocks: 0, seconds: 0)
        warnings = []
        digest = Self.digest(table, places)
    }
}
