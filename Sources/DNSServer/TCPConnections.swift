import IPNetworks
import NIOCore
import Synchronization

/// The open connections, counted against the limits.
final class TCPConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var perClient: [IPAddress: Int] = [:]
        var draining = false
        var accepted: UInt64 = 0
        var refused: UInt64 = 0
    }

    let limits: StreamLimits
    private let state = Mutex(State())

    init(_ limits: StreamLimits) {
        self.limits = limits
    }

    var count: Int { state.withLock { $0.channels.count } }

    var counters: TCPServer.Counters {
        state.withLock { .init(open: $0.channels.count, accepted: $0.accepted, refused: $0.refused) }
    }

    /// How long a connection may do nothing now: a tenth of the usual time while few places are left.
    var patience: TimeAmount {
        let seconds = count >= limits.crowded ? limits.idleSeconds / 10 : limits.idleSeconds
        return .nanoseconds(Int64(seconds * 1e9))
    }

    /// Counts a connection until it closes; false when it is one too many.
    func admit(_ channel: any Channel, from client: IPAddress) -> Bool {
        let client = client.family == .v4 ? client : client.masked(to: 64)
        let admitted = state.withLock { state in
            let held = state.perClient[client, default: 0]
            guard !state.draining, state.channels.count < limits.connections, held < limits.connectionsPerClient
            else {
                state.refused += 1
                return false
            }
            state.accepted += 1
            state.channels[ObjectIdentifier(channel)] = channel
            state.perClient[client] = held + 1
            return true
        }
        if admitted {
            channel.closeFuture.whenComplete { _ in self.forget(channel, from: client) }
        }
        return admitted
    }

    /// Admits nobody from now on and tells each connection to finish.
    ///
    /// - Returns: those still open.
    func drain() -> [any Channel] {
        let open = state.withLock { state in
            state.draining = true
            return Array(state.channels.values)
        }
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(TCPConnectionHandler.Drain()) }
        return open
    }

    private func forget(_ channel: any Channel, from client: IPAddress) {
        state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = nil
            let left = state.perClient[client, default: 1] - 1
            state.perClient[client] = left == 0 ? nil : left
        }
    }
}
