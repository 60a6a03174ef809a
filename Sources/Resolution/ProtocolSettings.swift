/// How the server speaks, apart from what it knows.
public struct ProtocolSettings: Sendable {
    public var identity: ServerIdentity
    /// `nil`: COOKIE options are unknown options.
    public var cookies: CookieKeys?
    /// How long a TCP connection may idle, in units of 100 ms, told to clients that ask (RFC 7828).
    public var keepalive: UInt16?
    /// `nil`: replies are not limited, not even errors. A daemon always has one.
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

    /// Whether queries get the same answers by both, and by the same buckets.
    public func isSame(as other: ProtocolSettings) -> Bool {
        identity == other.identity && cookies == other.cookies && keepalive == other.keepalive
            && rateLimit === other.rateLimit
    }
}
