public import DNSWire

/// A name whose answers depend on the client or on the nodes' states.
public struct TailoredSettings: Sendable {
    public let name: DomainName
    public let records: Records
    /// The id of one of the configuration's pools.
    public let pool: String
    /// The id of one of the configuration's policies.
    public let policy: String
    /// Another pool or policy for clients of these views. No view occurs twice.
    public let views: [TailoredView]
    public let mark: DocumentLocation

    /// The record types.
    public enum Records: Hashable, Sendable {
        /// A and AAAA: the addresses of the nodes chosen for the client.
        case addresses
        /// SRV: every usable node of the pool. All members have host names. `port` is 1 to 65,535.
        case services(port: UInt16, priority: UInt16)
        /// CNAME: the host name of the node chosen for the client. All members of the pool have one.
        case alias
        /// HTTPS or SVCB: the addresses of the nodes chosen for the client as hints.
        case binding(ServiceBinding)
        /// TXT: the texts of the node chosen for the client. All members of the pool have some.
        case texts
        /// MX: the host names of the nodes chosen for the client, the first one with `preference`. All members of the
        /// pool have one.
        case exchanges(preference: UInt16)

        /// The value of `type` that stands for it.
        package var type: TailoredType {
            switch self {
            case .addresses: .addresses
            case .services: .srv
            case .alias: .cname
            case .binding(let binding): binding.type == .svcb ? .svcb : .https
            case .texts: .txt
            case .exchanges: .mx
            }
        }
    }

    /// The parameters of an HTTPS or SVCB record, in addition to address hints (RFC 9460).
    public struct ServiceBinding: Hashable, Sendable {
        /// HTTPS or SVCB.
        public let type: RecordType
        /// 1 to 65,535. `nil`: the default of the service, which the record omits.
        public let port: UInt16?
        /// ALPN ids of 1 to 255 bytes. Empty: only the protocol's default.
        public let protocols: [String]

        public init(type: RecordType, port: UInt16?, protocols: [String]) {
            self.type = type
            self.port = port
            self.protocols = protocols
        }
    }
}

/// `type` of a tailored name.
package enum TailoredType: String, CaseIterable {
    case addresses
    case srv = "SRV"
    case cname = "CNAME"
    case https = "HTTPS"
    case svcb = "SVCB"
    case txt = "TXT"
    case mx = "MX"
}
