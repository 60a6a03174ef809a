public import DNSWire

/// A zone that this server is authoritative for.
public struct ZoneSettings: Sendable {
    public let origin: DomainName
    /// The absolute path of the master file (RFC 1035, section 5).
    public let file: String
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
