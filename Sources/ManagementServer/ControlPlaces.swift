import ConnectionLimits
import LinuxSupport
import NIOCore
import Synchronization
import Telemetry

/// The places of the connections to the control socket, and which connection gives way if all are taken.
///
///     accepted ──► idle ── request ──► busy ── answer ──► idle …
///                   │ half of the places; if full, the idlest of the user with the most gives way
///                                       └ the other half: a request beyond it is refused
///
/// The crowd of a connection is the user that made it, as the kernel says (SO_PEERCRED, unix(7)). So no user can keep
/// others out with idle connections, and a connection that waits for its answer gets it.
final class ControlPlaces: Sendable {
    /// An admitted connection.
    struct Guest: Sendable {
        fileprivate let number: UInt64
        let user: UInt32
        let channel: any Channel
    }

    /// What a request may hold for long: a place to wait, or a large body.
    enum Hold { case waiting, largeBody }

    private typealias Idle = ConnectionPlaces<UInt32, UInt64, any Channel>

    private struct State {
        var idle: Idle
        var idlePlaces: [UInt64: Idle.Place] = [:]
        var busy: Set<UInt64> = []
        /// The peer of each open connection.
        var peers: [ObjectIdentifier: PeerCredentials] = [:]
        var channels: [UInt64: any Channel] = [:]
        var numbers: UInt64 = 0
        var evicted: UInt64 = 0
        var refused: UInt64 = 0
        var slow: UInt64 = 0
        var held: [Hold: Int] = [:]
    }

    let limits: ControlServer.Limits
    private let state: Mutex<State>

    init(_ limits: ControlServer.Limits) {
        self.limits = limits
        state = Mutex(State(idle: .init(limit: limits.idle, perClient: 1)))
    }

    /// Gives a connection of `peer` a place until it closes, and closes the connection that gives way.
    func admit(_ channel: any Channel, of peer: PeerCredentials) -> Guest {
        let guest = state.withLock { state in
            state.numbers += 1
            state.peers[ObjectIdentifier(channel)] = peer
            state.channels[state.numbers] = channel
            return Guest(number: state.numbers, user: peer.user, channel: channel)
        }
        beIdle(guest)
        channel.closeFuture.whenComplete { [self] _ in leave(guest) }
        return guest
    }

    /// The peer of a connection; `nil` once it has closed.
    func peer(of channel: any Channel) -> PeerCredentials? { state.withLock { $0.peers[ObjectIdentifier(channel)] } }

    private func leave(_ guest: Guest) {
        state.withLock { state in
            state.peers[ObjectIdentifier(guest.channel)] = nil
            state.channels[guest.number] = nil
            state.busy.remove(guest.number)
            if let place = state.idlePlaces.removeValue(forKey: guest.number) { state.idle.leave(place) }
        }
    }

    /// Closes every connection, whatever it waits for.
    func closeAll() {
        for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    private func beIdle(_ guest: Guest) {
        let evicted = state.withLock { state -> (any Channel)? in
            state.busy.remove(guest.number)
            let (place, displaced) = state.idle.admit(guest.channel, from: guest.number, in: guest.user)
            state.idlePlaces[guest.number] = place
            if displaced != nil { state.evicted += 1 }
            return displaced?.occupant
        }
        evicted?.close(promise: nil)
    }

    /// A request is complete, or its answer was sent.
    ///
    /// - Returns: false if too many requests are being answered: refuse this one.
    func setBusy(_ guest: Guest, _ isBusy: Bool) -> Bool {
        guard isBusy else {
            if state.withLock({ $0.busy.contains(guest.number) }) { beIdle(guest) }
            return true
        }
        return state.withLock { state in
            guard let place = state.idlePlaces[guest.number] else { return false }
            guard state.busy.count < limits.busy else {
                state.refused += 1
                return false
            }
            state.idle.leave(place)
            state.idlePlaces[guest.number] = nil
            state.busy.insert(guest.number)
            return true
        }
    }

    func noteSlow() { state.withLock { $0.slow += 1 } }

    /// Whether one more request may hold `hold`. Give it back with `release`.
    func take(_ hold: Hold) -> Bool {
        let limit = hold == .waiting ? limits.waiting : ControlServer.Limits.largeBodies
        return state.withLock { state in
            guard state.held[hold, default: 0] < limit else { return false }
            state.held[hold, default: 0] += 1
            return true
        }
    }

    func release(_ hold: Hold) { state.withLock { $0.held[hold, default: 1] -= 1 } }

    var metrics: [MetricSample] {
        let (open, closed) = state.withLock { state in
            (
                state.idle.count + state.busy.count,
                [("evicted", state.evicted), ("refused", state.refused), ("slow", state.slow)]
            )
        }
        let gauge = MetricSample(
            "nearcast_control_connections", .gauge, help: "Open connections to the control socket.", value: Double(open)
        )
        let help =
            "Connections to the control socket that were closed to make room for others (evicted), because too many "
            + "requests were being answered (refused), or for lack of progress (slow)."
        return [gauge]
            + closed.map { cause, count in
                MetricSample(
                    "nearcast_control_connections_closed_total", .counter, help: help, labels: ["cause": cause],
                    value: Double(count))
            }
    }
}
