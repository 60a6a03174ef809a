/// Protocol options of the server, independent of the model.
public struct ProtocolSettings: Sendable {
    public var identity: ServerIdentity
    /// `nil`: COOKIE options are ignored, like unknown options.
    public var cookies: CookieKeys?
    /// The idle timeout in replies to TCP clients that ask for it (RFC 7828), in units of 100 ms.
    public var keepalive: UInt16?
    /// `nil`: no replies are limited, not even errors. The daemon always sets a limit.
    public var rateLimit: ResponseRateLimit?

    public init(
        identity: ServerIdentity = ServerIdentity(), cookies: CookieKeys? = nil, keepalive: UInt16? = nil,
        rateLimit: ResponseRateLimit? = nil
    ) {
        self.identity = identity
        self.cookies = cookies
        self.keepalive = keepalive
        self.rateLimit = rateLimit
    }

    /// Whether both give the same answers, and count in the same rate-limit buckets.
    public func isSame(as other: ProtocolSettings) -> Bool {
        identity == other.identity && cookies == other.cookies && keepalive == other.keepalive
            && rateLimit === other.rateLimit
    }
}
