import ConnectionPlaces
import NIOCore
import Synchronization

/// The connections to the control socket: which have a place, and which gives way when all are taken.
///
/// The crowd of a connection is the user that made it, as the kernel says (SO_PEERCRED, unix(7)). When every place is
/// taken, the idlest connection of the user that has most gives way. A connection whose request is being answered is in
/// use, and keeps its place.
final class ControlPlaces: Sendable {
    typealias Place = ConnectionPlaces<UInt32, UInt32, any Channel>.Place

    /// What a request may hold for longer than its answer takes to make.
    enum Hold { case waiting, largeBody }

    private struct State {
        var places: ConnectionPlaces<UInt32, UInt32, any Channel>
        var evicted: UInt64 = 0
        var refused: UInt64 = 0
        var slow: UInt64 = 0
        var held: [Hold: Int] = [:]
    }

    let limits: ControlServer.Limits
    private let state: Mutex<State>

    init(_ limits: ControlServer.Limits) {
        self.limits = limits
        // One user may have every place: it loses the idlest of its own then.
        state = Mutex(State(places: .init(limit: limits.connections, limitPerClient: .max)))
    }

    /// Gives a connection of `user` a place until it closes, and closes the one that gives way to it.
    ///
    /// - Returns: `nil` when every place is in use: the connection is to be closed.
    func admit(_ channel: any Channel, of user: UInt32) -> Place? {
        let admitted = state.withLock { state -> (place: Place, evicted: (any Channel)?)? in
            guard let admitted = state.places.admit(channel, of: user, in: user) else {
                state.refused += 1
                return nil
            }
            if admitted.evicted != nil { state.evicted += 1 }
            return admitted
        }
        guard let admitted else { return nil }
        admitted.evicted?.close(promise: nil)
        channel.closeFuture.whenComplete { [self] _ in
            _ = state.withLock { $0.places.leave(admitted.place) }
        }
        return admitted.place
    }

    func setBusy(_ place: Place, _ isBusy: Bool) { state.withLock { $0.places.setBusy(place, isBusy) } }

    func noteSlow() { state.withLock { $0.slow += 1 } }

    /// Whether one more request may hold `hold`; it is given back by `release`.
    func take(_ hold: Hold) -> Bool {
        let limit = hold == .waiting ? max(1, limits.connections / 2) : ControlServer.Limits.largeBodies
        return state.withLock { state in
            guard state.held[hold, default: 0] < limit else { return false }
            state.held[hold, default: 0] += 1
            return true
        }
    }

    func release(_ hold: Hold) { state.withLock { $0.held[hold, default: 1] -= 1 } }

    var metrics: [MetricSample] {
        let (open, closed) = state.withLock { state in
            (state.places.count, [("evicted", state.evicted), ("refused", state.refused), ("slow", state.slow)])
        }
        let gauge = MetricSample(
            "nearcast_control_connections", .gauge, help: "Open connections to the control socket.", value: Double(open)
        )
        let help =
            "Connections to the control socket closed to make room for others (evicted), since all were in use (refused), "
            + "or for lack of progress (slow)."
        return [gauge]
            + closed.map { cause, count in
                MetricSample(
                    "nearcast_control_connections_closed_total", .counter, help: help, labels: ["cause": cause],
                    value: Double(count))
            }
    }
}
