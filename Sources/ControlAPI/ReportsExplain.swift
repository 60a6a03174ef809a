/// Asks how a query would be answered, and why: `nearcast explain`.
public struct ExplainRequest: Codable, Equatable, Sendable {
    /// A domain name, with or without the final dot.
    public var name: String
    /// `A`, `AAAA` or any other type's name.
    public var type: String
    /// The client: an address, or a prefix as ECS would carry it.
    public var from: String

    public init(name: String, type: String, from: String) {
        self.name = name
        self.type = type
        self.from = from
    }
}

/// How one client's query is answered, and why.
public struct ExplainReport: Codable, Equatable, Sendable {
    public var name: String
    public var type: String
    /// As asked.
    public var client: String
    public var clientPlace: ClientPlace
    /// What the client was located by.
    public var source: Source
    /// Prefix length of the reply's ECS option.
    public var scope: Int
    /// In the order in which they are tried, then those that are not eligible.
    public var candidates: [CandidateReport]
    /// Record data in the order of the reply.
    public var answers: [String]
    /// `NOERROR`, `NXDOMAIN`, …
    public var responseCode: String
    /// Seconds; absent without an answer.
    public var ttl: UInt32?
    /// Who would answer.
    public var path: Path
    /// Why the fast path would decline; absent when it answers.
    public var pathReason: String?
    public var epoch: UInt64
    public var digest: String

    public init(
        name: String, type: String, client: String, clientPlace: ClientPlace, source: Source, scope: Int,
        candidates: [CandidateReport], answers: [String], responseCode: String, ttl: UInt32? = nil, path: Path,
        pathReason: String? = nil, epoch: UInt64, digest: String
    ) {
        self.name = name
        self.type = type
        self.client = client
        self.clientPlace = clientPlace
        self.source = source
        self.scope = scope
        self.candidates = candidates
        self.answers = answers
        self.responseCode = responseCode
        self.ttl = ttl
        self.path = path
        self.pathReason = pathReason
        self.epoch = epoch
        self.digest = digest
    }

    public enum Source: String, Codable, Sendable {
        case ecs
        case address
    }

    public enum Path: String, Codable, Sendable {
        case fast = "fast path"
        case slow = "slow path"
    }
}

/// Where the database has a client.
public struct ClientPlace: Codable, Equatable, Sendable {
    /// False: no place is known, the others are absent.
    public var known: Bool
    /// Degrees.
    public var latitude: Double?
    /// Degrees.
    public var longitude: Double?
    public var city: String?
    public var region: String?
    /// ISO 3166-1 alpha-2.
    public var country: String?
    /// Two letters.
    public var continent: String?
    /// The table's leaf, as a prefix.
    public var network: String?

    public init(
        known: Bool, latitude: Double? = nil, longitude: Double? = nil, city: String? = nil, region: String? = nil,
        country: String? = nil, continent: String? = nil, network: String? = nil
    ) {
        self.known = known
        self.latitude = latitude
        self.longitude = longitude
        self.city = city
        self.region = region
        self.country = country
        self.continent = continent
        self.network = network
    }
}

/// One node in the eyes of one client.
public struct CandidateReport: Codable, Equatable, Sendable {
    public var node: String
    public var city: String?
    public var region: String?
    /// Absent for a client of unknown place.
    public var distanceKm: Double?
    /// Rank of its band, from 0; absent when not eligible.
    public var band: Int?
    public var weight: Int
    public var state: NodeState
    /// 0…256.
    public var share: Int
    public var eligible: Bool
    public var chosen: Bool
    /// Why it is in or out.
    public var reason: String

    public init(
        node: String, city: String? = nil, region: String? = nil, distanceKm: Double? = nil, band: Int? = nil,
        weight: Int, state: NodeState, share: Int, eligible: Bool, chosen: Bool, reason: String
    ) {
        self.node = node
        self.city = city
        self.region = region
        self.distanceKm = distanceKm
        self.band = band
        self.weight = weight
        self.state = state
        self.share = share
        self.eligible = eligible
        self.chosen = chosen
        self.reason = reason
    }
}
