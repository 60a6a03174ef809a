public import DNSWire

/// A name whose answers depend on the client or on the nodes' states.
public struct TailoredSettings: Sendable {
    public let name: DomainName
    public let records: Records
    /// The id of one of the configuration's pools.
    public let pool: String
    /// The id of one of the configuration's policies.
    public let policy: String
    /// For clients of these views another pool or policy decides; no view twice.
    public let views: [TailoredView]
    public let mark: SourceMark

    /// What is tailored.
    public enum Records: Hashable, Sendable {
        /// A and AAAA: the addresses of the nodes chosen for the client.
        case addresses
        /// SRV: every usable node of the pool, whose members all have host names. `port` is 1 to 65,535.
        case services(port: UInt16, priority: UInt16)
        /// CNAME: the host name of the node chosen for the client; all members of the pool have one.
        case alias
        /// HTTPS: a service binding with the addresses of the nodes chosen for the client as hints. `port` is 1 to 65,535;
        /// `protocols` are ALPN ids of 1 to 255 bytes, none where only the default is spoken.
        case binding(port: UInt16, protocols: [String])
    }
}

/// `type` of a tailored name.
enum TailoredType: String, CaseIterable {
    case addresses
    case srv = "SRV"
    case cname = "CNAME"
    case https = "HTTPS"

    /// Keys that only some types have.
    static let particular: [(key: String, types: [TailoredType])] = [
        ("port", [.srv, .https]), ("priority", [.srv]), ("alpn", [.https]),
    ]
}
