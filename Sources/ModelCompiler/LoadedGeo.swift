public import ConfigurationModel
import GeoData
import IPNetworks
public import Lints
public import Location

/// Figures about a geographic database, for display.
public struct GeoSummary: Sendable {
    public let path: String
    public let type: String
    /// Seconds since 1970.
    public let buildEpoch: UInt64
    public let networks: Int
    /// Including those that overrides create.
    public let places: Int
    /// Blocks at the ECS cap that hold finer data.
    public let mixedBlocks: Int
    /// Reading and compiling together.
    public let seconds: Double
}

/// The compiled location data: the city database and the additions to it.
public struct LoadedGeo: Sendable {
    public let places: PlaceTable
    public let table: LocationTable
    public let summary: GeoSummary
    /// Warnings: valid, but probably a mistake.
    public let warnings: [LintWarning]
    /// Hash of everything that decides answers: the table and the content of the places.
    let digest: UInt64
    /// Nil without a database.
    private var sources: GeoSources?
    private var statements: GeoStatements?
    /// The current files, if they do not go together. The previous combination stays in use.
    private var rejected: Rejected?

    private struct Rejected: Sendable {
        let problems: [String]
        let sources: GeoSources
    }

    /// Why the current content of files is not used, each with place and remedy. The previous content stays in use.
    public var problems: [String] { (rejected?.problems ?? []) + ((rejected?.sources ?? sources)?.problems ?? []) }

    /// Files whose change may change this.
    public var paths: [String] { sources?.paths ?? [] }

    var isUpToDate: Bool { (rejected?.sources ?? sources)?.isUpToDate ?? true }

    private static func digest(_ table: LocationTable, _ places: PlaceTable) -> UInt64 {
        var digest = ModelDigest()
        digest.add(table.bytes)
        places.visitContent(number: { digest.add($0) }, text: { digest.add($0) })
        return digest.value
    }

    /// Combines the files and the configuration.
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
        warnings = Self.warnings(sources, configuration) + leftOut.map { LintWarning(.geofeed, at: nil, $0) }
        (self.sources, self.statements) = (sources, statements)
    }

    private static func warnings(_ sources: GeoSources, _ configuration: ServerConfiguration) -> [LintWarning] {
        var warnings: [LintWarning] = []
        let long = configuration.geo.overrides.filter { $0.prefix.length > ($0.prefix.family == .v4 ? 24 : 56) }
        if let first = long.first {
            let message =
                "\(first.prefix)\(long.count > 1 ? " and \(long.count - 1) more" : "") of geo.overrides is longer than "
                + "EDNS Client Subnet carries (/24, /56): it applies only to senders without it"
            warnings.append(LintWarning(.override, at: "\(first.mark)", message))
        }
        guard let asns = sources.asns else { return warnings }
        let missing = asns.content.missing(of: Set(configuration.geo.asns.map(\.asn)))
        for entry in configuration.geo.asns where missing.contains(entry.asn) {
            warnings.append(
                LintWarning(
                    .override, at: "\(entry.mark)", "AS\(entry.asn) has no addresses in \(asns.path)",
                    remedy: "correct the number"))
        }
        return warnings
    }
}

extension LoadedGeo {
    /// The location data that a configuration needs. It is `earlier` where files and settings are the same.
    ///
    /// If a file has become unusable, its previous content stays in use, with `problems` set.
    ///
    /// - Parameters:
    ///   - labels: networks that rules name, which become labels of places.
    ///   - effort: informed when this turns out to take long.
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
            // Touched or rephrased, but equal: keep the earlier one.
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

    /// Without a database every address has an unknown place. That suffices when no name is tailored.
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
