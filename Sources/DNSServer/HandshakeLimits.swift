/// What TLS handshakes may take. One costs 1 ms of a slow core with a P-256 key and 1.8 ms with RSA of 2,048 bits.
package struct HandshakeLimits: Sendable, Hashable {
    /// In progress at once. When there are more, the idlest of the network that has most gives way.
    package var atOnce: Int
    /// Seconds from the connection to the end of the handshake.
    package var seconds: Double

    package init(atOnce: Int = 256, seconds: Double = 3) {
        self.atOnce = atOnce
        self.seconds = seconds
    }
}

/// How often connections may begin: see ``ConnectionPlaces/Pace``.
package struct PaceLimits: Sendable, Hashable {
    /// A second over all networks, and so many at once.
    package var perSecond: Int
    /// A second by one network (a /24 or a /48), whatever the others do.
    package var networkPerSecond: Int
    /// At once by one network that has begun none lately.
    package var networkBurst: Int

    package init(perSecond: Int, networkPerSecond: Int, networkBurst: Int) {
        self.perSecond = perSecond
        self.networkPerSecond = networkPerSecond
        self.networkBurst = networkBurst
    }

    /// Of connections that are not the first of their network while many are open. A connection that comes and goes costs 0.3 ms of
    /// a slow core, one that is refused 0.02. Without a pace, networks that come back at once would keep the server busy.
    package static let crowd = PaceLimits(perSecond: 100, networkPerSecond: 1, networkBurst: 8)
    /// The same for connections to report over: a network may have many nodes.
    package static let reports = PaceLimits(perSecond: 100, networkPerSecond: 2, networkBurst: 32)
    /// Of handshakes at any time: 0.3 s of a core each second.
    package static let handshakes = PaceLimits(perSecond: 300, networkPerSecond: 5, networkBurst: 40)
}
