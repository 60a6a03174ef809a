import IPNetworks
import NIOCore
import Synchronization

/// The open connections, counted against the limits.
final class ReportConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var perClient: [IPAddress: Int] = [:]
        var refused: UInt64 = 0
        var slow: UInt64 = 0
    }

    let limits: ReportServer.Limits
    private let state = Mutex(State())

    init(_ limits: ReportServer.Limits) { self.limits = limits }

    var counters: (open: Int, refused: UInt64, slow: UInt64) {
        state.withLock { ($0.channels.count, $0.refused, $0.slow) }
    }

    /// Counts a connection until it closes; false when it is one too many.
    func admit(_ channel: any Channel, from client: IPAddress) -> Bool {
        let client = client.family == .v4 ? client : client.masked(to: 64)
        let isAdmitted = state.withLock { state in
            let held = state.perClient[client, default: 0]
            guard state.channels.count < limits.connections, held < limits.connectionsPerClient else {
                state.refused += 1
                return false
            }
            state.channels[ObjectIdentifier(channel)] = channel
            state.perClient[client] = held + 1
            return true
        }
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.forget(channel, from: client) } }
        return isAdmitted
    }

    func noteSlow() { state.withLock { $0.slow += 1 } }

    func closeAll() {
        for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    private func forget(_ channel: any Channel, from client: IPAddress) {
        state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = nil
            let left = state.perClient[client, default: 1] - 1
            state.perClient[client] = left == 0 ? nil : left
        }
    }
}
