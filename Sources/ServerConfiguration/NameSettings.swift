public import DNSWire
public import IPNetworks

/// A zone that this server is authoritative for.
public struct ZoneSettings: Sendable {
    public let origin: DomainName
    /// The absolute path of the master file (RFC 1035, section 5).
    public let file: String
    /// Networks that may ask for names of the zone; when there are any, others may not.
    public let allow: [IPPrefix]
    /// Networks that may not; of the networks of both lists the most specific one decides.
    public let deny: [IPPrefix]
    public let mark: SourceMark
}

/// A name whose A and AAAA answers depend on the client.
public struct TailoredSettings: Sendable {
    public let name: DomainName
    /// The id of one of the configuration's pools.
    public let pool: String
    /// The id of one of the configuration's policies.
    public let policy: String
    public let mark: SourceMark
}
