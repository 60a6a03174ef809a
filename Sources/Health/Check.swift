public import IPNetworks

/// A check of a node: what is probed, how often, and how results are counted.
public struct Check: Hashable, Sendable {
    /// The kind of probe.
    public enum Probe: Hashable, Sendable {
        case tcp(TCPProbe)
        case http(HTTPProbe)
        case dns(DNSProbe)
        /// An echo request (RFC 792, RFC 4443).
        case icmp
        case certificate(CertificateProbe)
        case grpc(GRPCProbe)
        case command(CommandProbe)
        /// No probe: the node sends reports, and a missing report for one interval is a failure.
        case report
    }

    /// What is probed.
    public enum Target: Hashable, Sendable, CustomStringConvertible {
        case address(IPAddress)
        /// A domain name in presentation form. Its addresses are looked up for each probe.
        case host(String)

        /// `nil`: a host.
        public var address: IPAddress? {
            switch self {
            case .address(let address): address
            case .host: nil
            }
        }

        public var description: String {
            switch self {
            case .address(let address): "\(address)"
            case .host(let host): host
            }
        }

        /// With a port, as URIs write it (RFC 3986, section 3.2).
        public func at(_ port: UInt16) -> String {
            switch self {
            case .address(let address): "\(SocketEndpoint(address: address, port: port))"
            case .host(let host): "\(host):\(port)"
            }
        }
    }

    public let probe: Probe
    public let target: Target
    /// The family whose answers it decides. `nil`: those of the whole node.
    public let family: IPFamily?
    /// The source address. `nil`: chosen by routing.
    public let source: IPAddress?
    /// From the start of one probe to the start of the next, 100 ms to an hour.
    public let intervalMilliseconds: Int64
    /// For the whole probe. Less than the interval.
    public let timeoutMilliseconds: Int64
    /// Consecutive failures that take a node out, 1 to 100.
    public let fall: Int
    /// Consecutive successes that bring it back, 1 to 100.
    public let rise: Int

    public init(
        _ probe: Probe, target: Target, family: IPFamily? = nil, source: IPAddress? = nil,
        intervalMilliseconds: Int64 = 5_000, timeoutMilliseconds: Int64 = 2_000, fall: Int = 3, rise: Int = 5
    ) {
        self.probe = probe
        self.target = target
        self.family = family
        self.source = source
        self.intervalMilliseconds = intervalMilliseconds
        self.timeoutMilliseconds = timeoutMilliseconds
        self.fall = fall
        self.rise = rise
    }

    /// A check of an address.
    public init(
        _ probe: Probe, target: IPAddress, family: IPFamily? = nil, source: IPAddress? = nil,
        intervalMilliseconds: Int64 = 5_000, timeoutMilliseconds: Int64 = 2_000, fall: Int = 3, rise: Int = 5
    ) {
        self.init(
            probe, target: .address(target), family: family, source: source, intervalMilliseconds: intervalMilliseconds,
            timeoutMilliseconds: timeoutMilliseconds, fall: fall, rise: rise)
    }

    /// The configuration's name of the kind.
    public var kind: String {
        switch probe {
        case .tcp: "tcp"
        case .http(let http): http.tls == nil ? "http" : "https"
        case .dns: "dns"
        case .icmp: "icmp"
        case .certificate: "certificate"
        case .grpc: "grpc"
        case .command: "command"
        case .report: "report"
        }
    }

    /// Whether a program of the operator's decides.
    public var isCommand: Bool { if case .command = probe { true } else { false } }

    /// Whether it is probed. A heartbeat is not.
    public var isAsked: Bool { probe != .report }
}

extension Check: CustomStringConvertible {
    /// Such as `tcp 198.51.100.10:443`.
    public var description: String {
        switch probe {
        case .tcp(let tcp): "tcp \(target.at(tcp.port))"
        case .http(let http): "\(kind) \(target.at(http.port))\(http.path)"
        case .dns(let dns): "dns \(target.at(dns.port)) \(dns.name)"
        case .icmp: "icmp \(target)"
        case .certificate(let certificate): "certificate \(target.at(certificate.port))"
        case .grpc(let grpc): "grpc \(target.at(grpc.port))" + (grpc.service.isEmpty ? "" : " \(grpc.service)")
        case .command(let command): "command \(command.arguments[0]) \(target)"
        case .report: "report"
        }
    }
}
