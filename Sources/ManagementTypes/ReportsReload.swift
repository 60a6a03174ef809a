public import FoundationEssentials

/// What a reload did: `nearcast reload`.
public struct ReloadReport: Codable, Equatable, Sendable {
    /// What triggered it.
    public var trigger: Trigger
    /// Of the model in use now.
    public var epoch: UInt64
    /// Of the model in use now, in hexadecimal.
    public var digest: String
    /// Whether there is a new model. If nothing that is served has changed, the previous model stays.
    public var changed: Bool
    public var zones: Changes
    public var nodes: Changes
    public var tailored: Changes
    public var pools: Changes
    public var policies: Changes
    /// Other keys of the configuration whose values changed, such as `rate_limit`.
    public var settings: [String]
    /// Whether the database changed.
    public var database: Bool
    /// Whether the candidate lists were rebuilt.
    public var steering: Bool
    /// How the fast path took the model over.
    public var fastPath: FastPath
    /// Why the program was replaced, if it was.
    public var fastPathReason: String?
    /// What could not be loaded: its last good version stays in use. Each with place and remedy.
    public var problems: [String]
    /// What is served, but is probably a mistake.
    public var warnings: [String]
    /// Reading and compiling, in seconds.
    public var loadSeconds: Double
    /// From the start of the reload to the last packet answered by the previous model, in seconds.
    public var tookSeconds: Double

    public enum Trigger: String, Codable, Sendable, CaseIterable {
        /// `nearcast reload`.
        case command
        /// SIGHUP.
        case signal
        /// A file changed.
        case watch
    }

    public enum FastPath: String, Codable, Sendable, CaseIterable {
        /// There is no fast path, or nothing changed.
        case none
        /// Names were changed in its tables.
        case names
        /// Its tables were replaced.
        case tables
        /// The program was replaced by one with larger tables.
        case program
    }

    /// Names that were added, removed or changed. The lists hold the first 100 names each. A tailored record of a type
    /// other than A and AAAA is listed as `NAME TYPE`.
    public struct Changes: Codable, Equatable, Sendable {
        public var total: Int
        public var added: [String]
        public var removed: [String]
        public var changed: [String]
        /// The number of all three.
        public var count: Int

        public init(
            total: Int, added: [String] = [], removed: [String] = [], changed: [String] = [], count: Int = 0
        ) {
            self.total = total
            self.added = added
            self.removed = removed
            self.changed = changed
            self.count = count
        }
    }

    public init(
        trigger: Trigger, epoch: UInt64, digest: String, changed: Bool, zones: Changes, nodes: Changes,
        tailored: Changes, pools: Changes, policies: Changes, settings: [String] = [], database: Bool, steering: Bool,
        fastPath: FastPath, fastPathReason: String? = nil, problems: [String], warnings: [String] = [],
        loadSeconds: Double, tookSeconds: Double
    ) {
        self.trigger = trigger
        self.epoch = epoch
        self.digest = digest
        self.changed = changed
        self.zones = zones
        self.nodes = nodes
        self.tailored = tailored
        self.pools = pools
        self.policies = policies
        self.database = database
        self.steering = steering
        self.fastPath = fastPath
        self.fastPathReason = fastPathReason
        self.settings = settings
        self.problems = problems
        self.warnings = warnings
        self.loadSeconds = loadSeconds
        self.tookSeconds = tookSeconds
    }
}

/// A zone as it is served.
public struct ZoneReport: Codable, Equatable, Sendable {
    public var origin: String
    /// Of the SOA.
    public var serial: UInt32
    public var records: Int
    /// When the version in use was read.
    public var loadedAt: Date
    /// Why the current content of its files is not in use.
    public var problem: String?
    /// RRsets with record changes since; absent: none.
    public var changed: Int?

    public init(
        origin: String, serial: UInt32, records: Int, loadedAt: Date, problem: String? = nil, changed: Int? = nil
    ) {
        self.changed = changed
        self.origin = origin
        self.serial = serial
        self.records = records
        self.loadedAt = loadedAt
        self.problem = problem
    }
}

/// All zones, and the details of the most interesting ones.
public struct ZonesReport: Codable, Equatable, Sendable {
    public var total: Int
    public var records: Int
    /// Zones whose last good version is in use.
    public var failed: Int
    /// At most `limit`: those with a problem, then those loaded last.
    public var zones: [ZoneReport]

    public static let limit = 1_000

    public init(total: Int, records: Int, failed: Int, zones: [ZoneReport]) {
        self.total = total
        self.records = records
        self.failed = failed
        self.zones = zones
    }
}

/// The reloads of a daemon so far.
public struct ReloadsReport: Codable, Equatable, Sendable {
    /// Reloads that changed something.
    public var changed: Int
    /// Reloads that found nothing to change.
    public var unchanged: Int
    /// Reloads that were refused as a whole.
    public var refused: Int
    /// Whether the last one was refused; absent before the first.
    public var lastIsRefused: Bool?
    /// When the last one ended; absent before the first.
    public var lastAt: Date?
    /// Why the last one was refused, or what it could not load; empty if all went well.
    public var problems: [String]
    /// What happens when files change.
    public var watch: Watch

    public enum Watch: String, Codable, Sendable, CaseIterable {
        /// They are served.
        case apply
        /// Nothing.
        case ignore
        /// They become a planned change.
        case propose
    }

    public init(
        changed: Int = 0, unchanged: Int = 0, refused: Int = 0, lastIsRefused: Bool? = nil, lastAt: Date? = nil,
        problems: [String] = [],
        watch: Watch
    ) {
        self.changed = changed
        self.unchanged = unchanged
        self.refused = refused
        self.lastIsRefused = lastIsRefused
        self.lastAt = lastAt
        self.problems = problems
        self.watch = watch
    }
}
