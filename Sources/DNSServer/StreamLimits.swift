/// What the clients of a stream transport may take, all together and each (RFC 9210, section 4).
public struct StreamLimits: Sendable, Hashable {
    /// Open connections over all clients, at least 1.
    public var connections: Int
    /// Open connections of one client: an IPv4 address, or an IPv6 /64, of which a host has as many addresses as it wants.
    public var connectionsPerClient: Int
    /// Queries on one connection, after which the server closes it; 0: as many as the client wants.
    public var queriesPerConnection: Int
    /// Seconds without a complete query and without a reply taken, after which a connection is closed (RFC 7766, section 6.2.3).
    public var idleSeconds: Double

    public init(
        connections: Int = 1_024, connectionsPerClient: Int = 64, queriesPerConnection: Int = 0,
        idleSeconds: Double = 10
    ) {
        self.connections = connections
        self.connectionsPerClient = connectionsPerClient
        self.queriesPerConnection = queriesPerConnection
        self.idleSeconds = idleSeconds
    }

    /// Seconds that a TLS handshake may take, if the idle time is not shorter.
    static let handshakeSeconds = 3.0
    /// TLS handshakes that a network (/24, /48) gets in a second, and at once after a pause. One costs some 0.5 ms: fifty
    /// networks at their limit leave half of a core.
    static let handshakesPerSecond = 20.0
    static let handshakesAtOnce = 40.0

    /// The idle time as EDNS TCP keepalive gives it: units of 100 ms (RFC 7828, section 3.1).
    public var keepaliveTimeout: UInt16 { UInt16(min(max(idleSeconds * 10, 0), 65_535)) }

    /// Bytes that one connection may hold: a message that has not come whole, one read, and as much of replies as makes the
    /// connection stop reading (NIO's mark of 64 KiB), with the reply that goes beyond it.
    public static let bytesPerConnection = (2 + 65_535) + 65_536 + 65_536 + 2 * (2 + 65_535)

    /// From so many connections on, the silent have a tenth of their time, so that they cannot hold every place.
    var crowded: Int { max(1, connections - connections / 4) }
}
