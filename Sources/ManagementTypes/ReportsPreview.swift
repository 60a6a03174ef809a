/// An RRset that a change would replace, or that a reload found changed.
public struct RRsetDifference: Codable, Equatable, Sendable {
    /// The owner, in full.
    public var name: String
    public var type: String
    /// Lines of a zone file that go.
    public var removed: [String]
    /// Lines of a zone file that come.
    public var added: [String]

    public init(name: String, type: String, removed: [String], added: [String]) {
        (self.name, self.type, self.removed, self.added) = (name, type, removed, added)
    }
}

/// What changes of a zone would do: `nearcast record apply --dry-run`.
public struct RRsetsPreview: Codable, Equatable, Sendable {
    public var zone: String
    /// The serial that is served, and the one that the changes would lead to.
    public var serial: UInt32
    public var nextSerial: UInt32
    /// The RRsets that would differ.
    public var rrsets: [RRsetDifference]

    public init(zone: String, serial: UInt32, nextSerial: UInt32, rrsets: [RRsetDifference]) {
        (self.zone, self.serial, self.nextSerial, self.rrsets) = (zone, serial, nextSerial, rrsets)
    }
}

/// What a reload would do: `nearcast reload --dry-run`.
public struct ReloadPreview: Codable, Equatable, Sendable {
    /// Of the model in use.
    public var epoch: UInt64
    /// Of the model that a reload would use, in hexadecimal.
    public var digest: String
    /// Whether anything that is served would change.
    public var changed: Bool
    public var zones: ReloadReport.Changes
    public var nodes: ReloadReport.Changes
    public var tailored: ReloadReport.Changes
    public var pools: ReloadReport.Changes
    public var policies: ReloadReport.Changes
    /// Other keys of the configuration whose values differ, such as `rate_limit`.
    public var settings: [String]
    /// Whether the database differs.
    public var database: Bool
    /// Whether the candidate lists would be rebuilt.
    public var steering: Bool
    /// The records of changed zones.
    public var records: [ZoneDifference]
    /// What could not be loaded: its last good version would stay in use.
    public var problems: [String]
    /// What would be served, but is probably a mistake.
    public var warnings: [String]
    /// Reading and compiling, in seconds.
    public var loadSeconds: Double

    /// The records of a zone that differ.
    public struct ZoneDifference: Codable, Equatable, Sendable {
        public var zone: String
        public var serial: UInt32
        public var nextSerial: UInt32
        /// Records that would come and go.
        public var added: Int
        public var removed: Int
        /// The first 100 RRsets.
        public var rrsets: [RRsetDifference]

        public init(
            zone: String, serial: UInt32, nextSerial: UInt32, added: Int, removed: Int, rrsets: [RRsetDifference]
        ) {
            (self.zone, self.serial, self.nextSerial) = (zone, serial, nextSerial)
            (self.added, self.removed, self.rrsets) = (added, removed, rrsets)
        }
    }

    public init(
        epoch: UInt64, digest: String, changed: Bool, zones: ReloadReport.Changes, nodes: ReloadReport.Changes,
        tailored: ReloadReport.Changes, pools: ReloadReport.Changes, policies: ReloadReport.Changes,
        settings: [String], database: Bool, steering: Bool, records: [ZoneDifference], problems: [String],
        warnings: [String], loadSeconds: Double
    ) {
        (self.epoch, self.digest, self.changed, self.zones, self.nodes) = (epoch, digest, changed, zones, nodes)
        (self.tailored, self.pools, self.policies, self.settings) = (tailored, pools, policies, settings)
        (self.database, self.steering, self.records) = (database, steering, records)
        (self.problems, self.warnings, self.loadSeconds) = (problems, warnings, loadSeconds)
    }
}
