public import FoundationEssentials

/// What `nearcast check` found.
public struct CheckReport: Codable, Equatable, Sendable {
    /// The file, as given.
    public var configuration: String
    public var ok: Bool
    /// Each complete: place, what is wrong, what to do. Empty when `ok`.
    public var problems: [String]
    /// What works but is seldom meant.
    public var warnings: [Warning]
    /// Absent unless `ok`, and without a database.
    public var model: ModelSize?
    /// What was read if the database was not. Absent unless `ok`.
    public var basics: Basics?

    public init(
        configuration: String, problems: [String] = [], warnings: [Warning] = [], model: ModelSize? = nil,
        basics: Basics? = nil
    ) {
        self.basics = basics
        self.configuration = configuration
        ok = problems.isEmpty
        self.problems = problems
        self.warnings = warnings
        self.model = model
    }

    /// A warning.
    public struct Warning: Codable, Equatable, Sendable {
        /// Its kind, as `lint.off` and `--allow` name it.
        public var id: String
        /// File, line and column.
        public var place: String?
        public var text: String
        /// What to do, unless the text says it.
        public var remedy: String?

        public init(id: String, place: String?, text: String, remedy: String? = nil) {
            self.id = id
            self.place = place
            self.text = text
            self.remedy = remedy
        }

        fileprivate var line: String { [place, text, remedy].compactMap(\.self).joined(separator: ": ") }
    }

    /// How much a configuration amounts to, as far as no database is needed.
    public struct Basics: Codable, Equatable, Sendable {
        public var nodes: Int
        public var pools: Int
        public var zones: Int
        /// In all zones, empty non-terminals included.
        public var names: Int
        public var tailoredNames: Int

        public init(nodes: Int, pools: Int, zones: Int, names: Int, tailoredNames: Int) {
            self.nodes = nodes
            self.pools = pools
            self.zones = zones
            self.names = names
            self.tailoredNames = tailoredNames
        }
    }

    /// How much a configuration amounts to.
    public struct ModelSize: Codable, Equatable, Sendable {
        public var digest: String
        public var nodes: Int
        public var pools: Int
        public var zones: Int
        /// In all zones, empty non-terminals included.
        public var names: Int
        public var tailoredNames: Int
        public var steeringTables: Int
        public var maximumSteeringTables: Int
        /// Distinct places of the database.
        public var places: Int
        public var locationTableBytes: UInt64
        /// Absent when no database was read: nothing is tailored.
        public var geo: Database?

        public init(
            digest: String, nodes: Int, pools: Int, zones: Int, names: Int, tailoredNames: Int, steeringTables: Int,
            maximumSteeringTables: Int, places: Int, locationTableBytes: UInt64, geo: Database? = nil
        ) {
            self.digest = digest
            self.nodes = nodes
            self.pools = pools
            self.zones = zones
            self.names = names
            self.tailoredNames = tailoredNames
            self.steeringTables = steeringTables
            self.maximumSteeringTables = maximumSteeringTables
            self.places = places
            self.locationTableBytes = locationTableBytes
            self.geo = geo
        }
    }

    /// The geographic database that was read.
    public struct Database: Codable, Equatable, Sendable {
        public var path: String
        /// As the file says itself.
        public var type: String
        public var builtAt: Date
        public var networks: Int
        /// Blocks at the ECS cap (/24, /56) that hold finer data.
        public var mixedBlocks: Int
        /// Reading and compiling together.
        public var loadSeconds: Double

        public init(
            path: String, type: String, builtAt: Date, networks: Int, mixedBlocks: Int, loadSeconds: Double
        ) {
            self.path = path
            self.type = type
            self.builtAt = builtAt
            self.networks = networks
            self.mixedBlocks = mixedBlocks
            self.loadSeconds = loadSeconds
        }
    }
}

extension CheckReport {
    /// The problems, or `ok: …`; then the warnings.
    public func text(_ palette: Palette) -> String {
        var lines = problems.map { palette.paint($0.printable, .bad) }
        if let model { lines.append("\(palette.paint("ok", .good)): \(model.text)") }
        if let basics { lines.append("\(palette.paint("ok", .good)): \(basics.text)") }
        lines += warnings.map { "\(palette.paint("warning", .warning)): \($0.line.printable) [\($0.id)]" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension CheckReport.Basics {
    fileprivate var parts: [String] {
        [
            counted(nodes, "node"), counted(pools, "pool"), "\(counted(zones, "zone")) (\(counted(names, "name")))",
            counted(tailoredNames, "tailored name"),
        ]
    }

    fileprivate var text: String {
        parts.joined(separator: ", ") + "; without the database, places and steering tables were not checked"
    }
}

extension CheckReport.ModelSize {
    fileprivate var text: String {
        let basics = CheckReport.Basics(
            nodes: nodes, pools: pools, zones: zones, names: names, tailoredNames: tailoredNames)
        let parts = [
            "\(counted(steeringTables, "steering table")) of \(Quantities.count(maximumSteeringTables))",
            counted(places, "place"), "location table \(Quantities.bytes(locationTableBytes))",
        ]
        return (basics.parts + parts).joined(separator: ", ")
    }
}

/// `1 node`, `20 nodes`.
private func counted(_ number: Int, _ noun: String) -> String {
    "\(Quantities.count(number)) \(noun)\(number == 1 ? "" : "s")"
}
