/// Asks how a query would be answered, and why: `nearcast explain`.
public struct ExplainRequest: Codable, Equatable, Sendable {
    /// A domain name, with or without the final dot.
    public var name: String
    /// `A`, `AAAA` or any other type's name.
    public var type: String
    /// The client: an address, or a prefix as ECS would carry it.
    public var from: String
    /// The address that sends the query, where `from` is a prefix; absent: the prefix's first address.
    public var sender: String?

    public init(name: String, type: String, from: String, sender: String? = nil) {
        self.name = name
        self.type = type
        self.from = from
        self.sender = sender
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
    /// Id of the sender's view; absent if no view decides.
    public var view: String?
    /// Absent if no zone has the name.
    public var access: AccessReport?
    /// Ids as configured.
    public var pool: String
    public var policy: String
    /// Prefix length of the reply's ECS option.
    public var scope: Int
    /// The decisions in their order, one for each family or pool.
    public var choices: [ChoiceReport]
    /// Record data in the order of the reply.
    public var answers: [String]
    /// `NOERROR`, `REFUSED`.
    public var responseCode: String
    /// Seconds; absent without an answer.
    public var ttl: UInt32?
    /// The path that would answer.
    public var path: Path
    /// Why the fast path would decline; absent when it answers.
    public var pathReason: String?
    public var epoch: UInt64
    public var digest: String

    public init(
        name: String, type: String, client: String, clientPlace: ClientPlace, source: Source, view: String? = nil,
        access: AccessReport? = nil, pool: String, policy: String, scope: Int, choices: [ChoiceReport],
        answers: [String], responseCode: String, ttl: UInt32? = nil, path: Path, pathReason: String? = nil,
        epoch: UInt64, digest: String
    ) {
        self.name = name
        self.type = type
        self.client = client
        self.clientPlace = clientPlace
        self.source = source
        self.view = view
        self.access = access
        self.pool = pool
        self.policy = policy
        self.scope = scope
        self.choices = choices
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

/// Whether a zone answers a sender.
public struct AccessReport: Codable, Equatable, Sendable {
    /// Its origin.
    public var zone: String
    public var isAdmitted: Bool
    /// As text.
    public var reason: String

    public init(zone: String, isAdmitted: Bool, reason: String) {
        self.zone = zone
        self.isAdmitted = isAdmitted
        self.reason = reason
    }
}

/// The location of a client in the database.
public struct ClientPlace: Codable, Equatable, Sendable {
    /// If false, the location is unknown and the other fields are absent.
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
    /// The operator's labels, and the ASN and networks that rules name.
    public var labels: [String]?

    public init(
        known: Bool, latitude: Double? = nil, longitude: Double? = nil, city: String? = nil, region: String? = nil,
        country: String? = nil, continent: String? = nil, network: String? = nil, labels: [String]? = nil
    ) {
        self.known = known
        self.latitude = latitude
        self.longitude = longitude
        self.city = city
        self.region = region
        self.country = country
        self.continent = continent
        self.network = network
        self.labels = labels
    }
}
