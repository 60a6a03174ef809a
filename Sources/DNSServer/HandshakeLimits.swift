/// Limits of TLS handshakes. One costs 1 ms of a slow core with a P-256 key, 1.8 ms with a 2,048-bit RSA key.
package struct HandshakeLimits: Sendable, Hashable {
    /// Handshakes in progress. Above this, the idlest one of the network with the most gives way.
    package var atOnce: Int
    /// Seconds from the start of the connection to the end of the handshake.
    package var seconds: Double

    package init(atOnce: Int = 256, seconds: Double = 3) {
        self.atOnce = atOnce
        self.seconds = seconds
    }
}

/// Rate limits of new connections: see ``ConnectionPlaces/Pace``.
package struct PaceLimits: Sendable, Hashable {
    /// Rate per second over all networks, and its burst.
    package var perSecond: Int
    /// Rate per second of one network (a /24 or a /48), independent of the others.
    package var networkPerSecond: Int
    /// Burst of one network that has been quiet.
    package var networkBurst: Int

    package init(perSecond: Int, networkPerSecond: Int, networkBurst: Int) {
        self.perSecond = perSecond
        self.networkPerSecond = networkPerSecond
        self.networkBurst = networkBurst
    }

    /// For connections that are not the first of their network while many are open. A short-lived connection costs 0.3
    /// ms of a slow core, a refused one 0.02 ms. Without this limit, networks that reconnect at once would keep the
    /// server busy.
    package static let crowd = PaceLimits(perSecond: 100, networkPerSecond: 1, networkBurst: 8)
    /// The same for the report listener, where one network may have many nodes.
    package static let reports = PaceLimits(perSecond: 100, networkPerSecond: 2, networkBurst: 32)
    /// For handshakes at any time: 0.3 s of a core per second.
    package static let handshakes = PaceLimits(perSecond: 300, networkPerSecond: 5, networkBurst: 40)
}
