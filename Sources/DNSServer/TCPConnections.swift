import IPNetworks
import NIOCore

/// The open connections of DNS over TCP or TLS, counted against the limits.
final class TCPConnections: Sendable {
    let limits: StreamLimits
    private let open: OpenConnections

    /// - Parameter handshakes: what networks may begin, over TLS.
    init(_ limits: StreamLimits, handshakes: HandshakeBudget? = nil) {
        self.limits = limits
        open = OpenConnections(
            limit: limits.connections, limitPerClient: limits.connectionsPerClient, handshakes: handshakes)
    }

    var counters: TCPServer.Counters {
        let counters = open.counters
        return .init(
            open: counters.open, accepted: counters.accepted, refused: counters.refused, evicted: counters.evicted)
    }

    /// How long a connection may do nothing now: a tenth of the usual time while few places are left.
    ///
    /// - Parameter isReady: whether it may send queries: over TLS, after the handshake, for which there is less time.
    func patience(isReady: Bool) -> TimeAmount {
        let usual = isReady ? limits.idleSeconds : min(limits.idleSeconds, StreamLimits.handshakeSeconds)
        let seconds = open.count >= limits.crowded ? usual / 10 : usual
        return .nanoseconds(Int64(seconds * 1e9))
    }

    /// Counts a connection until it closes, at the cost of another where there is no place; `nil`: close it.
    func admit(_ channel: any Channel, from client: IPAddress) -> OpenConnections.Place? {
        open.admit(channel, from: client)
    }

    /// A query came whole.
    func touch(_ place: OpenConnections.Place) { open.touch(place) }

    /// Admits nobody from now on and tells each connection to finish.
    ///
    /// - Returns: those still open.
    func drain() -> [any Channel] {
        let open = open.drain()
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(TCPConnectionHandler.Drain()) }
        return open
    }
}
