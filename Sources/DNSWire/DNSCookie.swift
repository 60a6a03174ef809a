/// The COOKIE option (RFC 7873, section 4).
public struct DNSCookie: Hashable, Sendable {
    /// A server cookie in the interoperable form (RFC 9018, section 4).
    public struct Server: Hashable, Sendable {
        /// Version, three reserved bytes and timestamp, as a number in network order.
        public var head: UInt64
        /// The hash's eight bytes, as a number in network order.
        public var hash: UInt64

        public init(head: UInt64, hash: UInt64) {
            self.head = head
            self.hash = hash
        }

        public var version: UInt8 { UInt8(head >> 56) }
        /// Seconds since 1970, modulo 2^32.
        public var timestamp: UInt32 { UInt32(truncatingIfNeeded: head) }
    }

    /// The client's eight bytes, as a number in network order.
    public var client: UInt64
    /// `nil` if there is none, or if its length is not that of RFC 9018.
    public var server: Server?
    /// Whether there is a server cookie of any length.
    public var hasServer: Bool

    /// A cookie for a reply.
    public init(client: UInt64, server: Server) {
        self.client = client
        self.server = server
        hasServer = true
    }

    /// Reads the option's data from a query: 8 bytes, or 16 to 40; `nil` for any other length (RFC 7873, section 4).
    init?(queryOption data: UnsafeRawBufferPointer) {
        guard data.count == 8 || (16...40).contains(data.count) else { return nil }
        func number(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: data.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        client = number(0)
        hasServer = data.count > 8
        if data.count == 24 { server = Server(head: number(8), hash: number(16)) }
    }
}
