public import FoundationEssentials

/// The daemon and what it serves now: `nearcast status`.
public struct StatusReport: Codable, Equatable, Sendable {
    /// The daemon's version.
    public var version: String
    public var pid: Int32
    public var startedAt: Date
    public var uptimeSeconds: Double
    /// Counts the models served since the daemon started, from 1.
    public var epoch: UInt64
    /// Fingerprint of the model, in hexadecimal: equal on every node that serves the same.
    public var digest: String
    /// One for each configured interface, in that order; empty if the fast path is switched off.
    public var fastPath: [InterfaceReport]
    /// Of the pinned maps.
    public var layoutVersion: UInt32
    /// The generation of the tables that packets read: 0 or 1.
    public var generation: UInt32
    /// The addresses served, as `192.0.2.53:53`.
    public var listen: [String]
    public var nodes: NodeCounts
    public var counters: CountersReport
    /// Ordered by table.
    public var memory: [TableMemory]
    /// Absent without a database.
    public var geo: GeoReport?
    public var zones: ZonesReport
    public var reloads: ReloadsReport
    /// Changes since the tables of the generation were filled; absent without a fast path.
    public var overlay: OverlayReport?
    /// What the configuration leaves to user space, and configured limits, as text; absent if there is none.
    public var switches: [String]?
    /// In the configuration's order; absent if there are none.
    public var regions: [RegionReport]?
    /// Absent if no round-trip times are learned. Answers depend on the file only, which is part of ``digest``.
    public var learning: LearningReport?
    /// Limits of what clients can make the process hold; absent from older daemons.
    public var limits: LimitsReport?
    /// Addresses that are listened on and not on this host now; they are served once they come. Absent if there are none.
    public var absentAddresses: [String]?
    /// In the configuration's order; absent if there are none.
    public var aliases: [AliasReport]?

    public init(
        version: String, pid: Int32, startedAt: Date, uptimeSeconds: Double, epoch: UInt64, digest: String,
        fastPath: [InterfaceReport], layoutVersion: UInt32, generation: UInt32, listen: [String], nodes: NodeCounts,
        counters: CountersReport, memory: [TableMemory], geo: GeoReport? = nil, zones: ZonesReport,
        reloads: ReloadsReport, overlay: OverlayReport? = nil, switches: [String]? = nil,
        regions: [RegionReport]? = nil, learning: LearningReport? = nil, limits: LimitsReport? = nil,
        absentAddresses: [String]? = nil, aliases: [AliasReport]? = nil
    ) {
        self.aliases = aliases
        self.absentAddresses = absentAddresses
        self.version = version
        self.pid = pid
        self.startedAt = startedAt
        self.uptimeSeconds = uptimeSeconds
        self.epoch = epoch
        self.digest = digest
        self.fastPath = fastPath
        self.layoutVersion = layoutVersion
        self.generation = generation
        self.listen = listen
        self.nodes = nodes
        self.counters = counters
        self.memory = memory
        self.geo = geo
        self.zones = zones
        self.reloads = reloads
        self.overlay = overlay
        self.switches = switches
        self.regions = regions
        self.learning = learning
        self.limits = limits
    }
}

/// A name that has the addresses of an outside host.
public struct AliasReport: Codable, Equatable, Sendable {
    public var name: String
    public var target: String
    /// What the name has, at most 32.
    public var addresses: [String]
    /// How many it has.
    public var addressCount: Int?
    /// When the target was last looked up with success, over the family for which that is longer ago; absent if it never
    /// was since the start.
    public var confirmedAt: Date?
    /// Why the name does not have its target's addresses, or why the last lookup failed.
    public var problem: String?

    public init(
        name: String, target: String, addresses: [String], addressCount: Int? = nil, confirmedAt: Date? = nil,
        problem: String? = nil
    ) {
        self.name = name
        self.target = target
        self.addresses = addresses
        self.addressCount = addressCount
        self.confirmedAt = confirmedAt
        self.problem = problem
    }
}

/// The limits of what clients can make the process hold, and their sum.
public struct LimitsReport: Codable, Equatable, Sendable {
    /// Connections that may be open, by transport: `tcp`, `tls`, `reports`, `metrics`, `control`.
    public var connections: [String: Int]
    /// Bytes that all of them and the UDP sockets may hold together, in the kernel and here, before any token is known.
    public var bytes: UInt64
    /// Descriptors that the process may have, and those of them that the daemon keeps for itself and for its probes.
    public var descriptors: Int
    public var ownDescriptors: Int
    public var probeDescriptors: Int

    public init(
        connections: [String: Int], bytes: UInt64, descriptors: Int, ownDescriptors: Int, probeDescriptors: Int
    ) {
        self.connections = connections
        self.bytes = bytes
        self.descriptors = descriptors
        self.ownDescriptors = ownDescriptors
        self.probeDescriptors = probeDescriptors
    }
}

/// Names that were changed in the tables of the program since they were filled.
public struct OverlayReport: Codable, Equatable, Sendable {
    /// Names that differ from the filled tables, and changed replies that many names share.
    public var changed: Int
    /// The most that may differ; beyond that the tables are rebuilt.
    public var limit: Int
    /// Bytes used of the room for such changes.
    public var bytes: UInt64
    /// Bytes of that room.
    public var room: UInt64

    public init(changed: Int, limit: Int, bytes: UInt64, room: UInt64) {
        (self.changed, self.limit, self.bytes, self.room) = (changed, limit, bytes, room)
    }
}

/// Replies of the program that an interface's driver could not send, as it counts them.
public struct UnsentReport: Codable, Equatable, Sendable {
    /// Since the daemon saw the interface first.
    public var total: UInt64
    /// In the last minute or so.
    public var lastMinute: UInt64

    public init(total: UInt64, lastMinute: UInt64) {
        self.total = total
        self.lastMinute = lastMinute
    }
}

/// The fast path at one interface.
public struct InterfaceReport: Codable, Equatable, Sendable {
    public var interface: String
    public var mode: Mode
    /// Why the mode is not the configured one; absent if it is.
    public var reason: String?
    /// As `bpftool prog` lists it; absent when off.
    public var programID: UInt32?
    /// The program's tag in hexadecimal; absent when off.
    public var tag: String?
    /// Absent when the driver counts none.
    public var unsent: UnsentReport?

    public init(
        interface: String, mode: Mode, reason: String? = nil, programID: UInt32? = nil, tag: String? = nil,
        unsent: UnsentReport? = nil
    ) {
        self.unsent = unsent
        self.interface = interface
        self.mode = mode
        self.reason = reason
        self.programID = programID
        self.tag = tag
    }

    public enum Mode: String, Codable, Sendable, CaseIterable {
        /// In the network driver.
        case native
        /// In the kernel's generic receive path.
        case generic
        /// User space answers everything.
        case off
    }
}

/// How many nodes are in each state; states without a node are left out.
public struct NodeCounts: Codable, Equatable, Sendable {
    public var total: Int
    /// By the name of `NodeState`.
    public var byState: [String: Int]
    /// Nodes that clients are sent to over one family only.
    public var divided: Int

    public init(total: Int, byState: [String: Int], divided: Int = 0) {
        self.total = total
        self.byState = byState
        self.divided = divided
    }
}

/// Memory of one table.
public struct TableMemory: Codable, Equatable, Sendable {
    /// The map's or table's name.
    public var table: String
    public var bytes: UInt64

    public init(table: String, bytes: UInt64) {
        self.table = table
        self.bytes = bytes
    }
}

/// The geographic database.
public struct GeoReport: Codable, Equatable, Sendable {
    /// Path of the file.
    public var database: String
    /// When it was built.
    public var builtAt: Date
    /// Networks in the file.
    public var networks: UInt64
    /// Distinct places among them.
    public var locations: UInt64
    public var loadSeconds: Double
    /// Why the current content of the file is not in use.
    public var problem: String?
    /// That the database is old.
    public var warning: String?

    public init(
        database: String, builtAt: Date, networks: UInt64, locations: UInt64, loadSeconds: Double,
        problem: String? = nil, warning: String? = nil
    ) {
        self.warning = warning
        self.problem = problem
        self.database = database
        self.builtAt = builtAt
        self.networks = networks
        self.locations = locations
        self.loadSeconds = loadSeconds
    }
}
