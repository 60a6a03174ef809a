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
    public let mark: DocumentLocation
}
