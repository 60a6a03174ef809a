public import DNSWire
public import IPNetworks

/// A server that answers can point at.
public struct NodeSettings: Sendable {
    /// 1 to 63 of `A-Z a-z 0-9 . _ -`.
    public let id: String
    /// At most one address a family, at least one.
    public let addresses: [IPAddress]
    /// What tailored SRV and CNAME records point at: a name in one of the configuration's zones, which is not tailored.
    public let hostname: HostnameSetting?
    public let location: NodeLocation
    public let mark: SourceMark
}

/// The host name of a node.
public struct HostnameSetting: Sendable {
    public let name: DomainName
    public let mark: SourceMark
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
    public let mark: SourceMark
}

/// A set of nodes that serve the same thing.
public struct PoolSettings: Sendable {
    public let id: String
    /// At least one, no node twice.
    public let members: [PoolMember]
    public let mark: SourceMark
}

/// A node in a pool.
public struct PoolMember: Sendable {
    /// The id of one of the configuration's nodes.
    public let node: String
    /// 1 to 65,535, 1 unless given.
    public let weight: UInt16
    public let mark: SourceMark
}

/// How nodes of a pool are chosen and answered.
public struct PolicySettings: Sendable {
    public let id: String
    public let strategy: Strategy
    /// Addresses in an answer, 1 to 8.
    public let answers: Int
    /// Seconds, 1 to 2^31 - 1 (RFC 2181, section 8), not above `ttlMax`.
    public let ttlMin: UInt32
    /// Seconds, 1 to 2^31 - 1.
    public let ttlMax: UInt32
    /// 0 to 100; at most one of the two tolerances is above 0.
    public let tolerancePercent: Int
    /// 0 to 20,000.
    public let toleranceKilometres: Int
    /// Whether EDNS Client Subnet decides the client's place (RFC 7871); the sender's address does otherwise.
    public let usesClientSubnet: Bool
    public let whenAllDown: AllDownRule
    public let mark: SourceMark

    /// How candidates are ranked.
    public enum Strategy: String, Sendable, CaseIterable {
        /// The smallest great-circle distance.
        case nearest
    }

    /// What a name answers when no node of its pool is usable.
    public enum AllDownRule: String, Sendable, CaseIterable {
        /// The nearest nodes, as if all were usable.
        case open
        /// REFUSED.
        case refuse
    }
}
