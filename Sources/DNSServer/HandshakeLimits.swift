/// What TLS handshakes may take. One costs the server about as much as a thousand answers.
package struct HandshakeLimits: Sendable, Hashable {
    /// In progress at once. When there are more, the idlest of the network that has most gives way.
    package var atOnce: Int
    /// Begun a second by all networks together; one that is beyond its own share is refused beyond these.
    package var perSecond: Int
    /// Begun a second by one network (a /24 or a /48), whatever the others do.
    package var networkPerSecond: Int
    /// Begun at once by one network that has begun none lately.
    package var networkBurst: Int
    /// Seconds from the connection to the end of the handshake; a third when three quarters of `atOnce` are in progress.
    package var seconds: Double

    package init(
        atOnce: Int = 256, perSecond: Int = 200, networkPerSecond: Int = 5, networkBurst: Int = 20, seconds: Double = 3
    ) {
        self.atOnce = atOnce
        self.perSecond = perSecond
        self.networkPerSecond = networkPerSecond
        self.networkBurst = networkBurst
        self.seconds = seconds
    }
}
