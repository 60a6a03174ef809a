public import FoundationEssentials
import VisibleText

/// A node's state (semantics of health checking). `drained` and `maintenance` are set by people.
public enum NodeState: String, Codable, Sendable, CaseIterable {
    case up, degraded
    /// Its checks fail, and mass-failure protection keeps it in rotation.
    case held
    case down, unknown, drained, maintenance

    /// Whether clients are sent to it.
    public var isUsable: Bool { self == .up || self == .degraded || self == .held }
}

/// One family of a node that is judged by itself.
public struct NodeFamilyReport: Codable, Equatable, Sendable {
    /// `IPv4` or `IPv6`.
    public var family: String
    public var state: NodeState
    /// 0…256 parts of its normal share of clients.
    public var share: Int
    /// TTL of answers with its address, in seconds.
    public var ttl: UInt32
    /// Since when mass-failure protection keeps it in rotation although its checks fail.
    public var heldSince: Date?
    /// The verdict of each vantage point, if there are several; `own` is this daemon.
    public var observed: [String: String]?

    public init(
        family: String, state: NodeState, share: Int, ttl: UInt32, heldSince: Date? = nil,
        observed: [String: String]? = nil
    ) {
        self.family = family
        self.state = state
        self.share = share
        self.ttl = ttl
        self.heldSince = heldSince
        self.observed = observed
    }
}

/// One node and its word in the shared table.
public struct NodeReport: Codable, Equatable, Sendable {
    public var id: String
    public var state: NodeState
    /// 0…256 parts of its normal share of clients.
    public var share: Int
    /// TTL of answers with this node, in seconds.
    public var ttl: UInt32
    public var addresses: [String]
    /// Absent for a provider that is at no particular place.
    public var location: NodeLocation?
    /// Index of its node word.
    public var slot: UInt32
    /// Counts the changes of its node word.
    public var version: UInt32
    /// Absent if it has not changed since the start.
    public var changedAt: Date?
    /// The author or the cause of the state, and why.
    public var setBy: String?
    /// From the request to the store that packets see; only in the reply to a change.
    public var tookMicroseconds: Double?
    /// The authority that decides the state, as in ``TransitionReport/authority``.
    public var authority: String?
    /// When the deciding claim ends.
    public var until: Date?
    /// Scheduled times in which it is out, now or later.
    public var windows: [WindowReport]?
    /// Absent if the node is not checked.
    public var checks: [NodeCheckReport]?
    /// Since when mass-failure protection keeps the failed node in rotation.
    public var heldSince: Date?
    /// The load that was last reported.
    public var reported: ReportedMetrics?
    /// The verdict of each vantage point, if there are several; `own` is this daemon.
    public var observed: [String: String]?
    /// The factors of the share; absent if neither load nor a region counts.
    public var shares: NodeSharesReport?
    /// Each family, if checks tell them apart; ``state`` is then that of the better one.
    public var families: [NodeFamilyReport]?
    /// The outside host that answers lead to, in place of addresses.
    public var provider: String?
    /// When slow start ends: until then the share grows. Absent if it does not.
    public var fullShareAt: Date?

    public init(
        id: String, state: NodeState, share: Int, ttl: UInt32, addresses: [String], location: NodeLocation?,
        slot: UInt32, version: UInt32, changedAt: Date? = nil, setBy: String? = nil, tookMicroseconds: Double? = nil,
        authority: String? = nil, until: Date? = nil, windows: [WindowReport]? = nil, checks: [NodeCheckReport]? = nil,
        heldSince: Date? = nil, reported: ReportedMetrics? = nil, observed: [String: String]? = nil,
        shares: NodeSharesReport? = nil, families: [NodeFamilyReport]? = nil,
        provider: String? = nil, fullShareAt: Date? = nil
    ) {
        self.id = id
        self.state = state
        self.share = share
        self.ttl = ttl
        self.addresses = addresses
        self.location = location
        self.slot = slot
        self.version = version
        self.changedAt = changedAt
        self.setBy = setBy
        self.tookMicroseconds = tookMicroseconds
        self.authority = authority
        self.until = until
        self.windows = windows
        self.checks = checks
        self.heldSince = heldSince
        self.reported = reported
        self.observed = observed
        self.shares = shares
        self.families = families
        self.provider = provider
        self.fullShareAt = fullShareAt
    }
}

/// The configured location of a node.
public struct NodeLocation: Codable, Equatable, Sendable {
    /// Degrees, −90…90.
    public var latitude: Double
    /// Degrees, −180…180.
    public var longitude: Double
    public var city: String?
    public var region: String?
    /// ISO 3166-1 alpha-2.
    public var country: String?
    /// Two letters.
    public var continent: String?

    public init(
        latitude: Double, longitude: Double, city: String? = nil, region: String? = nil, country: String? = nil,
        continent: String? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.city = city
        self.region = region
        self.country = country
        self.continent = continent
    }
}

/// A person's or program's override of a node's state: `nearcast node set`.
public struct NodeStateChange: Codable, Equatable, Sendable {
    public var state: Target
    public var reason: String?
    /// What the caller says about itself; recorded behind its identity, and proves nothing.
    public var author: String?
    /// When `maintenance` begins; absent: at once.
    public var startsAt: Date?
    /// How long it is valid, 1 to 31,622,400; absent: until it is changed. `maintenance` needs it.
    public var forSeconds: Int?
    /// Take the node out even if it is the last usable one of a pool.
    public var force: Bool?

    public init(
        state: Target, reason: String? = nil, author: String? = nil, startsAt: Date? = nil, forSeconds: Int? = nil,
        force: Bool? = nil
    ) {
        self.state = state
        self.reason = reason
        self.author = author
        self.startsAt = startsAt
        self.forSeconds = forSeconds
        self.force = force
    }

    public enum Target: String, Codable, Sendable, CaseIterable {
        case up, down, drained
        /// Out from `startsAt` on, for `forSeconds`.
        case maintenance
        /// Decided by checks: earlier overrides are withdrawn.
        case auto

        /// - Throws: `DecodingError` in the user's words when the text names none of them.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let target = Self(rawValue: text) else {
                let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(VisibleText.quoted(text)) is none of \(known)")
            }
            self = target
        }
    }
}
