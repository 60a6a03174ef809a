/// A TCP connection, with or without TLS, and what is exchanged over it.
public struct TCPProbe: Hashable, Sendable {
    public let port: UInt16
    /// `nil`: without TLS.
    public let tls: TLSRules?
    /// The server name to request. `nil`: the address.
    public let host: String?
    /// Sent first. Empty: nothing.
    public let send: String
    /// Must occur in the first 64 KiB of the answer. Empty: connecting is enough.
    public let expect: String

    public init(port: UInt16, send: String = "", expect: String = "", tls: TLSRules? = nil, host: String? = nil) {
        self.port = port
        self.tls = tls
        self.host = host
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
    /// Sent with the request, after the fields that every probe has.
    public let fields: [HTTPField]
    /// What a body of JSON must hold. `nil`: nothing.
    public let json: JSONAssertion?
    /// `nil`: without TLS.
    public let tls: TLSRules?
    public let redirects: HTTPRedirects

    public init(
        port: UInt16, path: String = "/", host: String? = nil, codes: ClosedRange<Int> = 200...299, body: String = "",
        fields: [HTTPField] = [], json: JSONAssertion? = nil, tls: TLSRules? = nil,
        redirects: HTTPRedirects = HTTPRedirects()
    ) {
        self.port = port
        self.path = path
        self.host = host
        self.codes = codes
        self.body = body
        self.fields = fields
        self.json = json
        self.tls = tls
        self.redirects = redirects
    }
}

/// A field of an HTTP request (RFC 9110, section 5).
public struct HTTPField: Hashable, Sendable {
    /// A token, in the operator's spelling.
    public let name: String
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
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
    /// What some record of the answer must hold, in presentation form. `nil`: the response code is enough.
    public let answer: String?

    /// Types whose answers can be compared: A, NS, CNAME, PTR, TXT and AAAA.
    public static let comparable: Set<UInt16> = [1, 2, 5, 12, 16, 28]

    public init(port: UInt16 = 53, name: String, type: UInt16 = 6, responseCode: UInt8 = 0, answer: String? = nil) {
        self.port = port
        self.name = name
        self.type = type
        self.responseCode = responseCode
        self.answer = answer
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

/// The health service of gRPC (`grpc.health.v1.Health/Check`).
public struct GRPCProbe: Hashable, Sendable {
    public let port: UInt16
    /// Empty: the server as a whole.
    public let service: String
    /// For the authority and for TLS. `nil`: the address.
    public let host: String?
    /// `nil`: without TLS.
    public let tls: TLSRules?

    public init(port: UInt16, service: String = "", host: String? = nil, tls: TLSRules? = nil) {
        self.port = port
        self.service = service
        self.host = host
        self.tls = tls
    }
}

/// A program of the operator's. It passes with exit status 0.
public struct CommandProbe: Hashable, Sendable {
    /// The absolute path of the program, then its arguments. No shell reads them.
    public let arguments: [String]
    /// The account that runs it. `nil`: the daemon's own.
    public let user: String?

    public init(arguments: [String], user: String? = nil) {
        self.arguments = arguments
        self.user = user
    }
}
