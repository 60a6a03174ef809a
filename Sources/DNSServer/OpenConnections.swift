import ConnectionPlaces
package import IPNetworks
package import NIOCore
import Synchronization

/// The open connections of a listener, their places and handshakes, and what became of those that lost theirs.
///
/// A client is an address, or an IPv6 /64; the crowd it belongs to is its network: a /24 or a /48.
/// ``ConnectionPlaces`` says who gives way.
package final class OpenConnections: Sendable {
    fileprivate typealias Places = ConnectionPlaces<IPAddress, IPAddress, any Channel>

    /// Why the server closed a connection that had not ended by itself.
    package enum Cause: String, Sendable, CaseIterable {
        /// Its client was beyond the limit of one client.
        case client
        /// All places were taken, and its network had most.
        case network
        /// Too many handshakes were in progress, and its network had most.
        case handshakes
        /// Its network began handshakes too often.
        case handshakeRate = "handshake_rate"
        /// It did nothing for too long.
        case idle
        /// All connections together held as much as they may.
        case memory
        /// The server was about to end.
        case shutdown
    }

    /// What one connection holds here.
    package struct Ticket: Sendable {
        fileprivate let place: ConnectionPlaces<IPAddress, IPAddress, any Channel>.Place
        fileprivate let handshake: ConnectionPlaces<IPAddress, IPAddress, any Channel>.Place?
    }

    fileprivate struct State {
        var places: Places
        var handshakes: Places
        var pace: Pace<IPAddress>
        var draining = false
        var accepted: UInt64 = 0
        var closed: [Cause: UInt64] = [:]
    }

    private let handshakeLimits: HandshakeLimits?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: connections over all clients.
    ///   - perClient: connections of one client.
    ///   - handshakes: the limits of handshakes where a connection begins with one.
    package init(limit: Int, perClient: Int, handshakes: HandshakeLimits?) {
        handshakeLimits = handshakes
        let limits = handshakes ?? HandshakeLimits()
        state = Mutex(
            State(
                places: Places(limit: limit, perClient: perClient),
                handshakes: Places(limit: limits.atOnce, perClient: limits.atOnce),
                pace: Pace(
                    common: .init(burst: limits.perSecond, perSecond: limits.perSecond),
                    own: .init(burst: limits.networkBurst, perSecond: limits.networkPerSecond))))
    }

    package var count: Int { state.withLock { $0.places.count } }
    package var accepted: UInt64 { state.withLock { $0.accepted } }
    /// Connections that the server closed, by cause.
    package var closed: [Cause: UInt64] { state.withLock { $0.closed } }
    /// True from three quarters of the places on.
    package var isCrowded: Bool { state.withLock { $0.places.isCrowded } }
    /// True from three quarters of the handshakes on.
    package var hasManyHandshakes: Bool { state.withLock { $0.handshakes.isCrowded } }

    /// Gives a connection a place until it closes. Another may lose its own for it, and is closed at once.
    ///
    /// The channel must have a ``ConnectionDoor``.
    /// - Returns: `nil` when the connection has to be closed instead.
    package func admit(_ channel: any Channel, from client: IPAddress) -> Ticket? {
        let network = client.masked(to: client.family == .v4 ? 24 : 48)
        let client = client.family == .v4 ? client : client.masked(to: 64)
        let (ticket, evicted) = state.withLock { $0.admit(channel, client, network, handshakeLimits != nil) }
        for channel in evicted { ConnectionDoor.shut(channel) }
        guard let ticket else { return nil }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.places.leave(ticket.place)
                if let handshake = ticket.handshake { state.handshakes.leave(handshake) }
            }
        }
        return ticket
    }

    /// The connection did what clients connect for.
    package func noteProgress(_ ticket: Ticket) { state.withLock { $0.places.touch(ticket.place) } }

    package func noteHandshake(_ ticket: Ticket) {
        guard let handshake = ticket.handshake else { return }
        state.withLock { _ = $0.handshakes.leave(handshake) }
    }

    /// The server closes a connection.
    package func noteClosing(_ cause: Cause) { state.withLock { $0.closed[cause, default: 0] += 1 } }

    /// Admits nobody from now on.
    ///
    /// - Returns: those still open.
    package func drain() -> [any Channel] {
        state.withLock { state in
            state.draining = true
            return state.places.occupants
        }
    }
}

extension OpenConnections.State {
    /// - Returns: what the connection holds, `nil` when it is refused; and those that lose their places.
    fileprivate mutating func admit(
        _ channel: any Channel, _ client: IPAddress, _ network: IPAddress, _ begins: Bool
    ) -> (OpenConnections.Ticket?, [any Channel]) {
        guard !draining else { return refuse(.shutdown) }
        let now = NIODeadline.now().uptimeNanoseconds
        guard !begins || pace.take(for: network, at: now) else { return refuse(.handshakeRate) }
        accepted += 1
        var evicted: [any Channel] = []
        let (place, displaced) = places.admit(channel, from: client, in: network)
        if let displaced {
            closed[displaced.cause == .client ? .client : .network, default: 0] += 1
            evicted.append(displaced.occupant)
        }
        guard begins else { return (.init(place: place, handshake: nil), evicted) }
        let (handshake, interrupted) = handshakes.admit(channel, from: client, in: network)
        if let interrupted, !evicted.contains(where: { $0 === interrupted.occupant }) {
            closed[.handshakes, default: 0] += 1
            evicted.append(interrupted.occupant)
        }
        return (.init(place: place, handshake: handshake), evicted)
    }

    private mutating func refuse(_ cause: OpenConnections.Cause) -> (OpenConnections.Ticket?, [any Channel]) {
        closed[cause, default: 0] += 1
        return (nil, [])
    }
}

extension ConnectionPlaces {
    fileprivate var isCrowded: Bool { count >= max(1, limit - limit / 4) }
}
