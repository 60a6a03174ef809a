public import IPNetworks

/// One thing that is asked of a node again and again, and what its answers mean.
public struct Check: Hashable, Sendable {
    /// What is asked.
    public enum Probe: Hashable, Sendable {
        case tcp(TCPProbe)
        case http(HTTPProbe)
        case dns(DNSProbe)
        /// An echo request (RFC 792, RFC 4443).
        case icmp
        case certificate(CertificateProbe)
        /// Nothing is asked: the node reports by itself, and not to hear of it for the interval is a failure.
        case report
    }

    public let probe: Probe
    /// Whom to ask.
    public let target: IPAddress
    /// Whom to ask from; `nil`: as the routes say.
    public let source: IPAddress?
    /// From the start of one probe to the start of the next, 100 ms to an hour.
    public let intervalMilliseconds: Int64
    /// For the whole probe; below the interval.
    public let timeoutMilliseconds: Int64
    /// Failures in a row that take a node out, 1 to 100.
    public let fall: Int
    /// Successes in a row that bring it back, 1 to 100.
    public let rise: Int

    public init(
        _ probe: Probe, target: IPAddress, source: IPAddress? = nil, intervalMilliseconds: Int64 = 5_000,
        timeoutMilliseconds: Int64 = 2_000, fall: Int = 3, rise: Int = 5
    ) {
        self.probe = probe
        self.target = target
        self.source = source
        self.intervalMilliseconds = intervalMilliseconds
        self.timeoutMilliseconds = timeoutMilliseconds
        self.fall = fall
        self.rise = rise
    }

    /// The word of the configuration for what is asked.
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

    /// Whether it is asked; what is not comes by itself.
    public var isAsked: Bool { probe != .report }
}

/// A connection, and what is said over it.
public struct TCPProbe: Hashable, Sendable {
    public let port: UInt16
    /// Sent first; empty: nothing.
    public let send: String
    /// Must be among the first 64 KiB that come back; empty: the connection is enough.
    public let expect: String

    public init(port: UInt16, send: String = "", expect: String = "") {
        self.port = port
        self.send = send
        self.expect = expect
    }
}

/// A request of HTTP/1.1 (RFC 9112), over TLS or not.
public struct HTTPProbe: Hashable, Sendable {
    public let port: UInt16
    /// Path and query.
    public let path: String
    /// For the Host field and for TLS; `nil`: the address.
    public let host: String?
    /// Status codes that pass, each 100 to 599.
    public let codes: ClosedRange<Int>
    /// Must be among the first 256 KiB of the body; empty: the status code is enough.
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

/// Which redirects are followed: always at the check's target, whatever host they name, and never out of TLS.
public struct HTTPRedirects: Hashable, Sendable {
    /// In one probe, 0 to 10.
    public let limit: Int
    /// Whether they may name another host.
    public let isAnyHost: Bool

    public init(limit: Int = 0, isAnyHost: Bool = false) {
        self.limit = limit
        self.isAnyHost = isAnyHost
    }
}

/// What is expected of a certificate.
public struct TLSRules: Hashable, Sendable {
    /// Whether chain, name and time are checked.
    public let verifies: Bool
    /// PEM file of those trusted; `nil`: those of the system.
    public let authorities: String?

    public init(verifies: Bool = true, authorities: String? = nil) {
        self.verifies = verifies
        self.authorities = authorities
    }
}

/// A query over UDP.
public struct DNSProbe: Hashable, Sendable {
    public let port: UInt16
    /// In presentation form.
    public let name: String
    /// Number of the type asked for.
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

/// A handshake, and how long the certificate is good for.
public struct CertificateProbe: Hashable, Sendable {
    public let port: UInt16
    /// The name asked for; `nil`: the address.
    public let host: String?
    /// Days that the certificate must still be valid.
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
    /// As in `tcp 198.51.100.10:443`.
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
