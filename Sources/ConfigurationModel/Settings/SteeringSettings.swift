public import DNSWire
public import Health
public import IPNetworks

/// A server that answers can refer to.
public struct NodeSettings: Sendable {
    /// 1 to 63 of `A-Z a-z 0-9 . _ -`.
    public let id: String
    /// At most one address per family, at least one in total. A provider has none.
    public let addresses: [IPAddress]
    /// Addresses inside an overlay network, at most one per family, for clients of views with
    /// ``ViewSettings/Addresses/overlay``.
    public let overlay: [IPAddress]
    /// The target of tailored SRV, CNAME and MX records: a name in one of the configuration's zones that is not tailored.
    public let hostname: HostnameSetting?
    /// The outside host that stands for this node, in place of addresses: the target of tailored records. It is in none
    /// of the configuration's zones.
    public let provider: HostnameSetting?
    /// What tailored TXT records say, a record for each: at most 8, each of 1 to 1,000 bytes.
    public let texts: [String]
    /// `nil`: a provider that is at no particular place.
    public let location: NodeLocation?
    /// In the operator's unit, above 0. `nil` if the node has none.
    public let capacity: Double?
    /// Its checks, and the rules for their results.
    public internal(set) var health = HealthRules()
    public let mark: DocumentLocation

    /// What tailored SRV, CNAME and MX records point to.
    public var target: HostnameSetting? { hostname ?? provider }
}

/// The host name of a node.
public struct HostnameSetting: Sendable {
    public let name: DomainName
    public let mark: DocumentLocation
}

/// The location of a node. Coordinates are read from decimal text without floating point.
public struct NodeLocation: Sendable {
    /// -90,000,000 to 90,000,000.
    public let latitudeMicrodegrees: Int32
    /// -180,000,000 to 180,000,000.
    public let longitudeMicrodegrees: Int32
    /// Two upper-case letters (ISO 3166-1).
    public let country: String?
    /// As named in the city database.
    public let region: String?
    /// AF, AN, AS, EU, NA, OC or SA.
    public let continent: String?
    public let mark: DocumentLocation
}

/// A set of nodes that serve the same names.
public struct PoolSettings: Sendable {
    public let id: String
    /// The pool itself, or its inner pools down to the innermost, in order. At least one. A node belongs to the first
    /// tier that has it.
    public let tiers: [PoolTier]
    public let mark: DocumentLocation

    /// The nodes of all tiers: at least one, without duplicates.
    public var members: [PoolMember] { tiers.flatMap(\.members) }
}

/// Nodes of a pool that a policy of strategy `failover` uses together, before those of later tiers.
public struct PoolTier: Sendable {
    /// At least one.
    public let members: [PoolMember]
    /// Below this number of usable members the next tier is used too: 1 to 4,096, default 1.
    public let minimum: Int
}

/// A node in a pool.
public struct PoolMember: Sendable {
    /// The id of one of the configuration's nodes.
    public let node: String
    /// 1 to 65,535, default 1.
    public let weight: UInt16
    /// 1 to 65,535, in the operator's unit. `nil` if the pool gives none.
    public let capacity: UInt16?
    /// Percent, -99 to 99, default 0. A positive value draws clients from farther away.
    public let bias: Int
    public let mark: DocumentLocation
}
