import ConnectionPlaces
import Glibc
package import IPNetworks
package import NIOCore
import Synchronization

/// The open connections of a listener, and who gives way when there are too many.
///
/// A client is an IPv4 address or an IPv6 /64; a network, of which the most crowded one gives way, a /24 or a /48.
package final class OpenConnections: Sendable {
    private typealias Places = ConnectionPlaces<IPAddress, IPAddress, any Channel>

    /// Where a connection is counted, until it closes.
    package struct Place: Sendable {
        fileprivate let place: ConnectionPlaces<IPAddress, IPAddress, any Channel>.Place
    }

    /// Connections now and since the start.
    package struct Counters: Sendable, Equatable {
        package var open = 0
        package var accepted: UInt64 = 0
        /// Closed at once: the listener was ending, or a network began too many handshakes.
        package var refused: UInt64 = 0
        /// Closed to make room for another.
        package var evicted: UInt64 = 0
    }

    private struct State {
        var places: Places
        var counters = Counters()
        var isDraining = false
    }

    private let state: Mutex<State>
    private let handshakes: HandshakeBudget?

    /// - Parameters:
    ///   - limit: connections of all clients, at least 1.
    ///   - limitPerClient: those of one, at least 1.
    ///   - handshakes: what networks may begin in a second; `nil`: as many connections as they like.
    package init(limit: Int, limitPerClient: Int, handshakes: HandshakeBudget? = nil) {
        state = Mutex(State(places: Places(limit: limit, limitPerClient: limitPerClient)))
        self.handshakes = handshakes
    }

    package var counters: Counters {
        state.withLock { state in
            var counters = state.counters
            counters.open = state.places.count
            return counters
        }
    }

    package var count: Int { state.withLock { $0.places.count } }

    /// Counts a connection until it closes, and closes the one that gives way to it.
    ///
    /// - Returns: `nil` when it is to be closed instead.
    package func admit(_ channel: any Channel, from client: IPAddress) -> Place? {
        let network = client.masked(to: client.family == .v4 ? 24 : 48)
        let client = client.family == .v4 ? client : client.masked(to: 64)
        let mayBegin = handshakes?.begin(in: network, at: .now) ?? true
        let admitted = state.withLock { state -> (place: Places.Place, evicted: (any Channel)?)? in
            guard mayBegin, !state.isDraining,
                let admitted = state.places.admit(channel, of: client, in: network)
            else {
                state.counters.refused += 1
                return nil
            }
            state.counters.accepted += 1
            if admitted.evicted != nil { state.counters.evicted += 1 }
            return admitted
        }
        guard let admitted else { return nil }
        admitted.evicted?.triggerUserOutboundEvent(EvictionHandler.Evict(), promise: nil)
        channel.closeFuture.whenComplete { [self] _ in
            _ = state.withLock { $0.places.leave(admitted.place) }
        }
        return Place(place: admitted.place)
    }

    /// The connection did what it is for: others give way before it does.
    package func touch(_ place: Place) { state.withLock { $0.places.touch(place.place) } }

    /// Admits nobody from now on.
    ///
    /// - Returns: the connections that are open.
    package func drain() -> [any Channel] {
        state.withLock { state in
            state.isDraining = true
            return state.places.all
        }
    }
}

/// Closes a connection at once, without the farewell of TLS and without waiting for what is unsent: its descriptor and its
/// memory are needed for another. It stands first in the pipeline, where its close meets no other handler.
package final class EvictionHandler: ChannelOutboundHandler {
    package typealias OutboundIn = Any

    /// User event: close now.
    struct Evict: Sendable {}

    package init() {}

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Evict else { return context.triggerUserOutboundEvent(event, promise: promise) }
        // Without a pause for what the client has not taken, and without TIME_WAIT.
        if let options = context.channel as? any SocketOptionProvider {
            _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(mode: .all, promise: promise)
    }
}
