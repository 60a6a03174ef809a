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

    /// The idle time as EDNS TCP keepalive gives it: units of 100 ms (RFC 7828, section 3.1).
    public var keepaliveTimeout: UInt16 { UInt16(min(max(idleSeconds * 10, 0), 65_535)) }

    /// From so many connections on, the silent have a tenth of their time, so that they cannot hold every place.
    var crowded: Int { max(1, connections - connections / 4) }
}
