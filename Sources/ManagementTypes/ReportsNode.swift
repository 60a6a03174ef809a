public import FoundationEssentials
import VisibleText

/// A node's state (semantics of health checking). `drained` and `maintenance` are set by people.
public enum NodeState: String, Codable, Sendable, CaseIterable {
    case up, degraded, down, unknown, drained, maintenance
}

/// One node and its word in the shared table.
public struct NodeReport: Codable, Equatable, Sendable {
    public var id: String
    public var state: NodeState
    /// 0…256 parts of its normal share of clients.
    public var share: Int
    /// Seconds that answers naming it live.
    public var ttl: UInt32
    public var addresses: [String]
    public var location: NodeLocation
    /// Index of its word.
    public var slot: UInt32
    /// Counts the changes of its word.
    public var version: UInt32
    /// Absent when it has not changed since the start.
    public var changedAt: Date?
    /// Who or what set the state, and why.
    public var setBy: String?
    /// From the request to the store that packets see; only in the reply to a change.
    public var tookMicroseconds: Double?
    /// Whose word the state is, as in ``TransitionReport/authority``.
    public var authority: String?
    /// When the claim ends that holds.
    public var until: Date?
    /// Times that it is out for by schedule, now or later.
    public var windows: [WindowReport]?
    /// Absent where nothing is checked.
    public var checks: [NodeCheckReport]?
    /// Since when it fails without being believed, because too many others fail too.
    public var heldSince: Date?
    /// What was last said of how busy it is.
    public var reported: ReportedMetrics?
    /// What each vantage point sees of it, where there are several; `own` is this daemon.
    public var observed: [String: String]?
    /// What the share is made of; absent where neither load nor a region has a say.
    public var shares: NodeSharesReport?

    public init(
        id: String, state: NodeState, share: Int, ttl: UInt32, addresses: [String], location: NodeLocation,
        slot: UInt32, version: UInt32, changedAt: Date? = nil, setBy: String? = nil, tookMicroseconds: Double? = nil,
        authority: String? = nil, until: Date? = nil, windows: [WindowReport]? = nil, checks: [NodeCheckReport]? = nil,
        heldSince: Date? = nil, reported: ReportedMetrics? = nil, observed: [String: String]? = nil,
        shares: NodeSharesReport? = nil
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
    }
}

/// Where a node stands, as configured.
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

/// A wish of a person or program: `nearcast node set`.
public struct NodeStateChange: Codable, Equatable, Sendable {
    public var state: Wish
    public var reason: String?
    /// Who wishes it; the caller's word.
    public var author: String?
    /// When it begins, for `maintenance`; absent: at once.
    public var startsAt: Date?
    /// How long it holds, 1 to 31,622,400; absent: until it is changed. `maintenance` needs it.
    public var forSeconds: Int?
    /// Whether the last usable node of a pool may be taken out.
    public var force: Bool?

    public init(
        state: Wish, reason: String? = nil, author: String? = nil, startsAt: Date? = nil, forSeconds: Int? = nil,
        force: Bool? = nil
    ) {
        self.state = state
        self.reason = reason
        self.author = author
        self.startsAt = startsAt
        self.forSeconds = forSeconds
        self.force = force
    }

    public enum Wish: String, Codable, Sendable, CaseIterable {
        case up, down, drained
        /// Out from `startsAt` on, for a time.
        case maintenance
        /// As the checks say: earlier wishes are withdrawn.
        case auto

        /// - Throws: `DecodingError` in the user's words when the text names none of them.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let wish = Self(rawValue: text) else {
                let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(VisibleText.quoted(text)) is none of \(known)")
            }
            self = wish
        }
    }
}
