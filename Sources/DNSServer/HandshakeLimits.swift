/// What TLS handshakes may take. One costs 1 ms of a slow core with a P-256 key and 1.8 ms with RSA of 2,048 bits.
package struct HandshakeLimits: Sendable, Hashable {
    /// In progress at once. When there are more, the idlest of the network that has most gives way.
    package var atOnce: Int
    /// Seconds from the connection to the end of the handshake; a third when three quarters of `atOnce` are in progress.
    package var seconds: Double

    package init(atOnce: Int = 256, seconds: Double = 3) {
        self.atOnce = atOnce
        self.seconds = seconds
    }
}

/// How often connections that cost others something may begin: see ``ConnectionPlaces/Pace``.
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

    /// Of connections that cost their own client or network a place. Without it, networks that are at their limit anyhow could
    /// keep the server busy with connections that replace each other.
    package static let replacements = PaceLimits(perSecond: 300, networkPerSecond: 10, networkBurst: 32)
    /// Of handshakes: 64 networks that begin all they may take 0.7 s of a core each second.
    package static let handshakes = PaceLimits(perSecond: 100, networkPerSecond: 10, networkBurst: 40)
}
