import ConnectionPlaces
package import IPNetworks
package import NIOCore
import Synchronization

/// The open connections of a listener, their places and handshakes, and what became of those that lost theirs.
///
/// A client is an address, or an IPv6 /64; the crowd it belongs to is its network: a /24 or a /48.
/// ``ConnectionPlaces`` says who gives way.
package final class OpenConnections: Sendable {
    fileprivate typealias Places = ConnectionPlaces<IPAddress, IPAddress, OpenConnection>

    /// Why the server closed a connection that had not ended by itself.
    package enum Cause: String, Sendable, CaseIterable {
        /// Its client was beyond the limit of one client.
        case client
        /// All places were taken, and its network had most.
        case network
        /// Too many handshakes were in progress, and its network had most.
        case handshakes
        /// Its network began connections too often, while there were many or each cost a handshake.
        case rate
        /// It did nothing for too long.
        case idle
        /// All connections together held as much as they may.
        case memory
        /// The server was about to end.
        case shutdown
    }

    /// What one connection holds here.
    package struct Ticket: Sendable {
        fileprivate let place: ConnectionPlaces<IPAddress, IPAddress, OpenConnection>.Place
        fileprivate let handshake: ConnectionPlaces<IPAddress, IPAddress, OpenConnection>.Place?
        let connection: OpenConnection
    }

    fileprivate struct State {
        var places: Places
        var handshakes: Places
        var crowdPace: Pace<IPAddress>
        var handshakePace: Pace<IPAddress>
        var draining = false
        var accepted: UInt64 = 0
        var closed: [Cause: UInt64] = [:]
        /// Connections that have a descriptor: those with a place, and those that lost it and are not closed yet.
        var descriptors = 0
    }

    private let hasHandshakes: Bool
    private let mostDescriptors: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: connections over all clients.
    ///   - perClient: connections of one client.
    ///   - crowdPace: how often connections may begin of which there are many.
    ///   - handshakes: the limits of handshakes where a connection begins with one.
    package init(limit: Int, perClient: Int, crowdPace: PaceLimits, handshakes: HandshakeLimits?) {
        hasHandshakes = handshakes != nil
        mostDescriptors = Self.descriptors(for: limit)
        let atOnce = handshakes?.atOnce ?? 1
        state = Mutex(
            State(
                places: Places(limit: limit, perClient: perClient),
                handshakes: Places(limit: atOnce, perClient: atOnce),
                crowdPace: Pace(crowdPace), handshakePace: Pace(.handshakes)))
    }

    /// Descriptors that so many places take at most: closing takes a moment.
    package static func descriptors(for places: Int) -> Int { places + max(64, places / 8) }

    package var count: Int { state.withLock { $0.places.count } }
    package var accepted: UInt64 { state.withLock { $0.accepted } }
    /// Connections that the server closed, by cause.
    package var closed: [Cause: UInt64] { state.withLock { $0.closed } }
    /// True while so many connections are being closed that no further one should be accepted.
    var isBehind: Bool { state.withLock { $0.descriptors >= mostDescriptors } }

    /// Gives a connection its place. Another may lose its own for it, and is closed at once.
    ///
    /// - Returns: what it holds until ``leave(_:)``; `nil` when the connection has to be closed instead.
    package func admit(from client: IPAddress) -> Ticket? {
        let network = client.masked(to: client.family == .v4 ? 24 : 48)
        let client = client.family == .v4 ? client : client.masked(to: 64)
        let (ticket, evicted) = state.withLock { $0.admit(client, network, hasHandshakes) }
        for connection in evicted { connection.shut() }
        return ticket
    }

    /// The connection has closed. Without effect when that is known.
    func leave(_ ticket: Ticket) {
        guard ticket.connection.end() else { return }
        state.withLock { state in
            state.places.leave(ticket.place)
            if let handshake = ticket.handshake { state.handshakes.leave(handshake) }
            state.descriptors -= 1
        }
    }

    /// The connection did what clients connect for.
    package func noteProgress(_ ticket: Ticket) { state.withLock { $0.places.touch(ticket.place) } }

    /// The connection has finished its handshake.
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
        let left = state.withLock { state in
            state.draining = true
            return state.places.occupants
        }
        return left.compactMap { connection in
            if let channel = connection.channel { return channel }
            connection.shut()
            return nil
        }
    }
}

extension OpenConnections.State {
    /// - Returns: what the connection holds, `nil` when it is refused; and those that lose their places.
    fileprivate mutating func admit(
        _ client: IPAddress, _ network: IPAddress, _ hasHandshake: Bool
    ) -> (OpenConnections.Ticket?, [OpenConnection]) {
        guard !draining else { return refuse(.shutdown) }
        let now = NIODeadline.now().uptimeNanoseconds
        if places.isOneOfMany(client, in: network) || hasHandshake && handshakes.isOneOfMany(client, in: network) {
            guard crowdPace.take(for: network, at: now) else { return refuse(.rate) }
        }
        if hasHandshake {
            guard handshakePace.take(for: network, at: now) else { return refuse(.rate) }
        }
        accepted += 1
        descriptors += 1
        let newcomer = OpenConnection()
        var evicted: [OpenConnection] = []
        let (place, displaced) = places.admit(newcomer, from: client, in: network)
        if let displaced {
            closed[displaced.cause == .client ? .client : .network, default: 0] += 1
            evicted.append(displaced.occupant)
        }
        guard hasHandshake else { return (.init(place: place, handshake: nil, connection: newcomer), evicted) }
        let (handshake, interrupted) = handshakes.admit(newcomer, from: client, in: network)
        if let interrupted, !evicted.contains(where: { $0 === interrupted.occupant }) {
            closed[.handshakes, default: 0] += 1
            evicted.append(interrupted.occupant)
        }
        return (.init(place: place, handshake: handshake, connection: newcomer), evicted)
    }

    private mutating func refuse(_ cause: OpenConnections.Cause) -> (OpenConnections.Ticket?, [OpenConnection]) {
        closed[cause, default: 0] += 1
        return (nil, [])
    }
}

extension Pace {
    fileprivate init(_ limits: PaceLimits) {
        self.init(
            common: .init(burst: limits.perSecond, perSecond: limits.perSecond),
            own: .init(burst: limits.networkBurst, perSecond: limits.networkPerSecond))
    }
}

extension ConnectionPlaces {
    /// True when a connection would cost its own client or crowd a place, and already while a quarter of the places are taken
    /// and its crowd has half of its share: connections that end soon would come and go without ever taking the last place.
    fileprivate func isOneOfMany(_ client: Client, in crowd: Crowd) -> Bool {
        guard !costsItsOwn(client, in: crowd) else { return true }
        return count >= limit / 4 && count(in: crowd) >= max(2, limit / max(1, crowdCount) / 2)
    }
}
