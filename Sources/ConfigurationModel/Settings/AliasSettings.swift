public import DNSWire

/// An entry of `aliases`: a name that has the addresses of an outside host. Unlike a CNAME it may be an apex, and may have
/// other records.
public struct AliasSettings: Hashable, Sendable {
    /// Unique, in one of the configuration's zones, not a wildcard, and without tailored addresses.
    public let name: DomainName
    /// The host. In none of the configuration's zones.
    public let target: DomainName
    /// Of the answers, in seconds: 1 to 86,400.
    public let ttl: UInt32
    /// How long the last addresses are served when no server tells new ones.
    public let staleMilliseconds: Int64
    public let mark: DocumentLocation
}
