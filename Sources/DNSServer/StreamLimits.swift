/// Limits of the clients of a stream transport, in total and for each client (RFC 9210, section 4).
public struct StreamLimits: Sendable, Hashable {
    /// Open connections over all clients, at least 1. When all are taken, the idlest connection of the most crowded
    /// network gives way.
    public var connections: Int
    /// Open connections of one client: an IPv4 address, or an IPv6 /64 (a host can use any address of its /64).
    public var connectionsPerClient: Int
    /// Queries on one connection, after which the server closes it. 0: no limit.
    public var queriesPerConnection: Int
    /// Seconds without a complete query and without progress in sending replies, after which a connection is closed
    /// (RFC 7766, section 6.2.3).
    public var idleSeconds: Double
    /// Bytes of incomplete queries and unsent replies over all connections, beyond each connection's ``allowedBytes``.
    /// A connection that would exceed it is closed.
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

    /// The idle timeout in the units of EDNS TCP keepalive: 100 ms (RFC 7828, section 3.1).
    public var keepaliveTimeout: UInt16 { UInt16(min(max(idleSeconds * 10, 0), 65_535)) }
}

// MARK: - Memory

extension StreamLimits {
    /// Bytes of queries and replies that every connection may hold without being counted: more than a normal query
    /// needs.
    public static let allowedBytes = 4_096
    /// The size of one read.
    static let readBytes = 2_048
    /// Above about this many bytes of unsent replies the connection stops reading. The last reply may add 64 KiB.
    static let writeBytes = (low: 16 * 1_024, high: 32 * 1_024)
    /// Kernel buffer for one connection's unread input, and for its unacknowledged replies (the kernel doubles both).
    static let socketBytes = (receive: 32 * 1_024, send: 128 * 1_024)

    /// The most memory of the process that one connection uses, beyond its part of ``bufferedBytes``: channel and
    /// handlers (measured, rounded up), one read, and ``allowedBytes``.
    public static let bytesPerConnection = 10 * 1_024 + readBytes + allowedBytes
    /// The same over TLS: the session (measured, rounded up), and one incomplete record of 16 KiB in each direction.
    public static let bytesPerEncryptedConnection = bytesPerConnection + 48 * 1_024 + 2 * 17 * 1_024

    /// The most memory of the process that all connections together use, in bytes.
    public func bytes(encrypted: Bool) -> Int {
        connections * (encrypted ? Self.bytesPerEncryptedConnection : Self.bytesPerConnection) + bufferedBytes
    }
}
