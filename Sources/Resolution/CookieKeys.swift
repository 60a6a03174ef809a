public import CFastPathABI
import DNSWire
import IPNetworks

/// A secret for server cookies: 16 bytes, the same on every server that shares an address.
public struct CookieSecret: Hashable, Sendable {
    public static let length = 16

    /// The bytes as two little-endian words.
    public let key: nc_siphash_key

    /// `nil` unless there are exactly 16 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        func word(_ part: some Sequence<UInt8>) -> UInt64 { part.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        key = nc_siphash_key(k0: word(bytes.prefix(8)), k1: word(bytes.suffix(8)))
    }

    public static func == (left: CookieSecret, right: CookieSecret) -> Bool {
        left.key.k0 == right.key.k0 && left.key.k1 == right.key.k1
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key.k0)
        hasher.combine(key.k1)
    }

    /// The hash of a server cookie, as a number in network order (RFC 9018, section 4.4). Its input is the client
    /// cookie, the first half of the server cookie, and the client's address.
    func hash(client: UInt64, head: UInt64, _ address: IPAddress) -> UInt64 {
        // SipHash reads words in little-endian order.
        switch address {
        case .v4(let value):
            let words: InlineArray<2, UInt64> = [client.byteSwapped, head.byteSwapped]
            return words.span.withUnsafeBufferPointer {
                nc_siphash_words(key, $0.baseAddress, 2, UInt64(value.byteSwapped), 20)
            }.byteSwapped
        case .v6(let value):
            let words: InlineArray<4, UInt64> = [
                client.byteSwapped, head.byteSwapped, UInt64(truncatingIfNeeded: value >> 64).byteSwapped,
                UInt64(truncatingIfNeeded: value).byteSwapped,
            ]
            return words.span.withUnsafeBufferPointer { nc_siphash_words(key, $0.baseAddress, 4, 0, 32) }.byteSwapped
        }
    }
}

/// Creates and verifies server cookies (RFC 7873) in the interoperable form of RFC 9018, for servers behind one
/// address.
public struct CookieKeys: Hashable, Sendable {
    /// The first secret creates cookies; all of them verify. So a new secret can be distributed to every server before
    /// it is used, and an old one can be removed an hour after it was replaced (RFC 9018, section 5).
    public let secrets: [CookieSecret]
    /// Whether a UDP query with a cookie but without a valid server cookie gets BADCOOKIE.
    public let isRequired: Bool

    /// - Precondition: there is at least one secret.
    public init(secrets: [CookieSecret], isRequired: Bool = false) {
        precondition(!secrets.isEmpty, "cookies need a secret")
        self.secrets = secrets
        self.isRequired = isRequired
    }

    /// The validity of a query's cookie, and the cookie to return.
    struct Examination {
        var isValid: Bool
        var reply: DNSCookie
    }

    /// Examines the cookie that came from `address` in the second `now` (since 1970, modulo 2^32).
    func examine(_ cookie: DNSCookie, from address: IPAddress, at now: UInt32) -> Examination {
        let validity = validity(of: cookie, from: address, at: now)
        if validity == .current { return Examination(isValid: true, reply: cookie) }
        let head = UInt64(NC_COOKIE_VERSION) << 56 | UInt64(now)
        let hash = secrets[0].hash(client: cookie.client, head: head, address)
        return Examination(
            isValid: validity == .aging, reply: DNSCookie(client: cookie.client, server: .init(head: head, hash: hash)))
    }

    private enum Validity {
        case invalid
        /// Valid, but due for replacement.
        case aging
        case current
    }

    private func validity(of cookie: DNSCookie, from address: IPAddress, at now: UInt32) -> Validity {
        guard let server = cookie.server, server.version == NC_COOKIE_VERSION else { return .invalid }
        // Serial number arithmetic (RFC 1982), which is independent of the 32-bit epoch.
        let age = Int32(bitPattern: now &- server.timestamp)
        guard age <= NC_COOKIE_MAX_AGE, age >= -NC_COOKIE_MAX_LEAD else { return .invalid }
        let maker = secrets.firstIndex { $0.hash(client: cookie.client, head: server.head, address) == server.hash }
        guard let maker else { return .invalid }
        return maker == 0 && age < NC_COOKIE_RENEWAL_AGE ? .current : .aging
    }
}
