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
        /// No probe: the node sends reports, and a missing report for one interval is a failure.
        case report
    }

    public let probe: Probe
    /// The target address.
    public let target: IPAddress
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
        _ probe: Probe, target: IPAddress, family: IPFamily? = nil, source: IPAddress? = nil,
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

    /// The configuration's name of the kind.
    public var kind: String {
        switch probe {
        case .tcp: "tcp"
        case .http(let http): http.tls == nil ? "http" : "https"
        case .dns: "dns"
        case .icmp: "icmp"
        case .certificate: "certificate"
        case .report: "report"
        }
    }

    /// Whether it is probed. A heartbeat is not.
    public var isAsked: Bool { probe != .report }
}

/// A TCP connection, and what is exchanged over it.
public struct TCPProbe: Hashable, Sendable {
    public let port: UInt16
    /// Sent first. Empty: nothing.
    public let send: String
    /// Must occur in the first 64 KiB of the answer. Empty: connecting is enough.
    public let expect: String

    public init(port: UInt16, send: String = "", expect: String = "") {
        self.port = port
        self.send = send
        self.expect = expect
    }
}

/// An HTTP/1.1 request (RFC 9112), with or without TLS.
public struct HTTPProbe: Hashable, Sendable {
    public let port: UInt16
    /// Path and query.
    public let path: String
    /// For the Host field and for TLS. `nil`: the address.
    public let host: String?
    /// Status codes that pass, each 100 to 599.
    public let codes: ClosedRange<Int>
    /// Must occur in the first 256 KiB of the body. Empty: the status code is enough.
    public let body: String
    /// `nil`: without TLS.
    public let tls: TLSRules?
    public let redirects: HTTPRedirects

    public init(
        port: UInt16, path: String = "/", host: String? = nil, codes: ClosedRange<Int> = 200...299, body: String = "",
        tls: TLSRules? = nil, redirects: HTTPRedirects = HTTPRedirects()
    ) {
        self.port = port
        self.path = path
        self.host = host
        self.codes = codes
        self.body = body
        self.tls = tls
        self.redirects = redirects
    }
}

/// Which redirects are followed. Requests always go to the check's target, whatever host a redirect names, and never
/// from https to http.
public struct HTTPRedirects: Hashable, Sendable {
    /// Maximum per probe, 0 to 10.
    public let limit: Int
    /// Whether they may name another host.
    public let isAnyHost: Bool

    public init(limit: Int = 0, isAnyHost: Bool = false) {
        self.limit = limit
        self.isAnyHost = isAnyHost
    }
}

/// The rules for a certificate.
public struct TLSRules: Hashable, Sendable {
    /// Whether chain, name and validity are verified.
    public let verifies: Bool
    /// PEM file of trusted authorities. `nil`: those of the system.
    public let authorities: String?

    public init(verifies: Bool = true, authorities: String? = nil) {
        self.verifies = verifies
        self.authorities = authorities
    }
}

/// A DNS query over UDP.
public struct DNSProbe: Hashable, Sendable {
    public let port: UInt16
    /// In presentation form.
    public let name: String
    /// Number of the query type.
    public let type: UInt16
    /// The response code that passes.
    public let responseCode: UInt8

    public init(port: UInt16 = 53, name: String, type: UInt16 = 6, responseCode: UInt8 = 0) {
        self.port = port
        self.name = name
        self.type = type
        self.responseCode = responseCode
    }
}

/// A TLS handshake, and the remaining validity of the certificate.
public struct CertificateProbe: Hashable, Sendable {
    public let port: UInt16
    /// The server name to request. `nil`: the address.
    public let host: String?
    /// Days for which the certificate must still be valid.
    public let days: Int
    public let tls: TLSRules

    public init(port: UInt16 = 443, host: String? = nil, days: Int = 0, tls: TLSRules = TLSRules()) {
        self.port = port
        self.host = host
        self.days = days
        self.tls = tls
    }
}

extension Check: CustomStringConvertible {
    /// Such as `tcp 198.51.100.10:443`.
    public var description: String {
        func at(_ port: UInt16) -> String { "\(SocketEndpoint(address: target, port: port))" }
        return switch probe {
        case .tcp(let tcp): "tcp \(at(tcp.port))"
        case .http(let http): "\(kind) \(at(http.port))\(http.path)"
        case .dns(let dns): "dns \(at(dns.port)) \(dns.name)"
        case .icmp: "icmp \(target)"
        case .certificate(let certificate): "certificate \(at(certificate.port))"
        case .report: "report"
        }
    }
}
