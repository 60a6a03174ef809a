public import DNSWire
public import IPNetworks

/// A zone that this server is authoritative for.
public struct ZoneSettings: Sendable {
    public let origin: DomainName
    /// The absolute path of the master file (RFC 1035, section 5).
    public let file: String
    /// Networks that may query names of the zone. If there are any, others may not.
    public let allow: [IPPrefix]
    /// Networks that may not. The most specific network of both lists decides.
    public let deny: [IPPrefix]
    public let mark: DocumentLocation
}
