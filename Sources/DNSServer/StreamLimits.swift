/// What the clients of a stream transport may take, all together and each (RFC 9210, section 4).
public struct StreamLimits: Sendable, Hashable {
    /// Open connections over all clients, at least 1. When all are taken, the most crowded network's idlest gives way.
    public var connections: Int
    /// Open connections of one client: an IPv4 address, or an IPv6 /64, of which a host has as many addresses as it wants.
    public var connectionsPerClient: Int
    /// Queries on one connection, after which the server closes it; 0: as many as the client wants.
    public var queriesPerConnection: Int
    /// Seconds without a complete query and without a reply taken, after which a connection is closed (RFC 7766, section 6.2.3).
    public var idleSeconds: Double
    /// Bytes of half-read queries and of replies not yet taken, over all connections, not counting each one's
    /// ``allowedBytes``. A connection that would need more is closed.
    public var bufferedBytes: Int
    /// For connections over TLS.
    package var handshakes = HandshakeLimits()

    public init(
        connections: Int = 1_024, connectionsPerClient: Int = 64, queriesPerConnection: Int = 0,
        idleSeconds: Double = 10, bufferedBytes: Int = 16 << 20
    ) {
        self.connections = connections
        self.connectionsPerClient = connectionsPerClient
        self.queriesPerConnection = queriesPerConnection
        self.idleSeconds = idleSeconds
        self.bufferedBytes = bufferedBytes
    }

    /// The idle time as EDNS TCP keepalive gives it: units of 100 ms (RFC 7828, section 3.1).
    public var keepaliveTimeout: UInt16 { UInt16(min(max(idleSeconds * 10, 0), 65_535)) }
}

// MARK: - Memory

extension StreamLimits {
    /// Bytes of queries and replies that every connection may hold without asking: more than an honest query has.
    public static let allowedBytes = 4_096
    /// The size of one read.
    static let readBytes = 2_048
    /// Replies wait in the connection up to about here before reading stops; the last may be 64 KiB more.
    static let writeBytes = (low: 16 * 1_024, high: 32 * 1_024)
    /// What the kernel keeps of unread input of one connection, and of replies not acknowledged (it doubles both).
    static let socketBytes = (receive: 32 * 1_024, send: 128 * 1_024)

    /// Bytes of the process that one connection holds at most, not counting its part of ``bufferedBytes``:
    /// channel and handlers (measured, rounded up), one read, and ``allowedBytes``.
    public static let bytesPerConnection = 10 * 1_024 + readBytes + allowedBytes
    /// The same over TLS: the session (measured, rounded up), and one record of 16 KiB each way that is not complete yet.
    public static let bytesPerEncryptedConnection = bytesPerConnection + 48 * 1_024 + 2 * 17 * 1_024

    /// Bytes of the process that all connections together hold at most.
    public func bytes(encrypted: Bool) -> Int {
        connections * (encrypted ? Self.bytesPerEncryptedConnection : Self.bytesPerConnection) + bufferedBytes
    }
}
