import ConnectionLimits
package import IPNetworks
package import NIOCore
import Synchronization

/// The open connections of a listener, with their places and handshakes, and counts of those that were closed.
///
/// A client is an IPv4 address or an IPv6 /64. Its crowd is its network: a /24 or a /48. ``ConnectionPlaces`` decides
/// which connection gives way.
package final class OpenConnections: Sendable {
    fileprivate typealias Places = ConnectionPlaces<IPAddress, IPAddress, OpenConnection>

    /// Why the server closed a connection.
    package enum Cause: String, Sendable, CaseIterable {
        /// The client exceeded the limit of one client.
        case client
        /// All places were taken, and its network had the most.
        case network
        /// Too many handshakes were in progress, and its network had the most.
        case handshakes
        /// Its network opened connections too fast, while many were open or each cost a handshake.
        case rate
        /// It was idle for too long.
        case idle
        /// All connections together reached the memory limit.
        case memory
        /// The server was shutting down.
        case shutdown
    }

    /// What is kept for one connection.
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
        /// Connections with a descriptor: those with a place, and those that lost it and are not closed yet.
        var descriptors = 0
    }

    private let hasHandshakes: Bool
    private let mostDescriptors: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: connections over all clients.
    ///   - perClient: connections of one client.
    ///   - crowdPace: rate limit of new connections while many are open.
    ///   - handshakes: limits of handshakes, if a connection begins with one.
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

    /// The maximum number of descriptors for a number of places: closing takes a moment.
    package static func descriptors(for places: Int) -> Int { places + max(64, places / 8) }

    package var count: Int { state.withLock { $0.places.count } }
    package var accepted: UInt64 { state.withLock { $0.accepted } }
    /// Connections closed by the server, by cause.
    package var closed: [Cause: UInt64] { state.withLock { $0.closed } }
    /// True while so many connections are being closed that no new one should be accepted.
    var isBehind: Bool { state.withLock { $0.descriptors >= mostDescriptors } }

    /// Admits a connection. Another one may lose its place for it, and is closed at once.
    ///
    /// - Returns: what the connection holds until ``leave(_:)``. `nil`: close the connection instead.
    package func admit(from client: IPAddress) -> Ticket? {
        let network = client.masked(to: client.family == .v4 ? 24 : 48)
        let client = client.family == .v4 ? client : client.masked(to: 64)
        let (ticket, evicted) = state.withLock { $0.admit(client, network, hasHandshakes) }
        for connection in evicted { connection.shut() }
        return ticket
    }

    /// The connection has closed. Repeated calls have no effect.
    package func leave(_ ticket: Ticket) {
        guard ticket.connection.end() else { return }
        state.withLock { state in
            state.places.leave(ticket.place)
            if let handshake = ticket.handshake { state.handshakes.leave(handshake) }
            state.descriptors -= 1
        }
    }

    /// The connection did useful work: what clients connect for.
    package func noteProgress(_ ticket: Ticket) { state.withLock { $0.places.touch(ticket.place) } }

    /// The connection has finished its handshake.
    package func noteHandshake(_ ticket: Ticket) {
        guard let handshake = ticket.handshake else { return }
        state.withLock { _ = $0.handshakes.leave(handshake) }
    }

    /// The server closes a connection.
    package func noteClosing(_ cause: Cause) { state.withLock { $0.closed[cause, default: 0] += 1 } }

    /// Admits no further connection.
    ///
    /// - Returns: the connections still open.
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
    /// - Returns: what the connection holds, `nil` if it is refused; and the connections that lose their places.
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
    /// True when a connection would take a place from its own client or crowd. It is true already while a quarter of
    /// the places are taken and its crowd has half of its share: short-lived connections would otherwise come and go
    /// without ever taking the last place.
    fileprivate func isOneOfMany(_ client: Client, in crowd: Crowd) -> Bool {
        guard !costsItsOwn(client, in: crowd) else { return true }
        return count >= limit / 4 && count(in: crowd) >= max(2, limit / max(1, crowdCount) / 2)
    }
}
