import IPNetworks
import NIOCore
import Synchronization

/// The open connections, counted against the limits.
final class TCPConnections: Sendable {
    private struct State {
        var open = OpenConnections()
        var draining = false
        var accepted: UInt64 = 0
        var refused: UInt64 = 0
    }

    let limits: StreamLimits
    private let state = Mutex(State())

    init(_ limits: StreamLimits) {
        self.limits = limits
    }

    var count: Int { state.withLock { $0.open.count } }

    var counters: TCPServer.Counters {
        state.withLock { .init(open: $0.open.count, accepted: $0.accepted, refused: $0.refused) }
    }

    /// How long a connection may do nothing now: a tenth of the usual time while few places are left.
    var patience: TimeAmount {
        let seconds = count >= limits.crowded ? limits.idleSeconds / 10 : limits.idleSeconds
        return .nanoseconds(Int64(seconds * 1e9))
    }

    /// Counts a connection until it closes; false when it is one too many.
    func admit(_ channel: any Channel, from client: IPAddress) -> Bool {
        let admitted = state.withLock { state in
            guard !state.draining,
                state.open.admit(
                    channel, from: client, limit: limits.connections, perClientLimit: limits.connectionsPerClient)
            else {
                state.refused += 1
                return false
            }
            state.accepted += 1
            return true
        }
        if admitted {
            channel.closeFuture.whenComplete { _ in self.state.withLock { $0.open.forget(channel, from: client) } }
        }
        return admitted
    }

    /// Admits nobody from now on and tells each connection to finish.
    ///
    /// - Returns: those still open.
    func drain() -> [any Channel] {
        let open = state.withLock { state in
            state.draining = true
            return state.open.all
        }
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(TCPConnectionHandler.Drain()) }
        return open
    }
}
