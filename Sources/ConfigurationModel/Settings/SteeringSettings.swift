public import DNSWire
public import Health
public import IPNetworks

/// A server that answers can point at.
public struct NodeSettings: Sendable {
    /// 1 to 63 of `A-Z a-z 0-9 . _ -`.
    public let id: String
    /// At most one address a family, at least one.
    public let addresses: [IPAddress]
    /// Addresses inside an overlay network, at most one a family: for clients of views with ``ViewSettings/Addresses/overlay``.
    public let overlay: [IPAddress]
    /// What tailored SRV and CNAME records point at: a name in one of the configuration's zones, which is not tailored.
    public let hostname: HostnameSetting?
    public let location: NodeLocation
    /// In the operator's unit, above 0; `nil` where the node does not say.
    public let capacity: Double?
    /// What is asked of it, and what follows from the answers.
    public internal(set) var health = HealthRules()
    public let mark: DocumentLocation
}

/// The host name of a node.
public struct HostnameSetting: Sendable {
    public let name: DomainName
    public let mark: DocumentLocation
}

/// Where a node stands. Coordinates are read from the decimal text without floating point.
public struct NodeLocation: Sendable {
    /// -90,000,000 to 90,000,000.
    public let latitudeMicrodegrees: Int32
    /// -180,000,000 to 180,000,000.
    public let longitudeMicrodegrees: Int32
    /// Two upper-case letters (ISO 3166-1).
    public let country: String?
    /// As the city database names it.
    public let region: String?
    /// AF, AN, AS, EU, NA, OC or SA.
    public let continent: String?
    public let mark: DocumentLocation
}

/// A set of nodes that serve the same thing.
public struct PoolSettings: Sendable {
    public let id: String
    /// The pool itself, or the pools that it is made of, down to the innermost, in order. At least one; no node is
    /// in two: the first has it.
    public let tiers: [PoolTier]
    public let mark: DocumentLocation

    /// The nodes of all tiers: at least one, no node twice.
    public var members: [PoolMember] { tiers.flatMap(\.members) }
}

/// Nodes of a pool that a policy of strategy `failover` uses together, before those of later tiers.
public struct PoolTier: Sendable {
    /// At least one.
    public let members: [PoolMember]
    /// Usable members below which the next tier is used too: 1 to 4,096, 1 unless given.
    public let minimum: Int
}

/// A node in a pool.
public struct PoolMember: Sendable {
    /// The id of one of the configuration's nodes.
    public let node: String
    /// 1 to 65,535, 1 unless given.
    public let weight: UInt16
    /// 1 to 65,535, in the operator's unit; `nil` where the pool does not say.
    public let capacity: UInt16?
    /// Percent, -99 to 99: above 0 the node draws clients nearer; 0 unless given.
    public let bias: Int
    public let mark: DocumentLocation
}
