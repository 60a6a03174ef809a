import DNSServer
import IPNetworks
import NIOCore
import Synchronization

/// The open connections, counted against the limits.
final class ReportConnections: Sendable {
    private struct State {
        var open = OpenConnections()
        var refused: UInt64 = 0
        var slow: UInt64 = 0
    }

    let limits: ReportServer.Limits
    private let state = Mutex(State())

    init(_ limits: ReportServer.Limits) { self.limits = limits }

    var counters: (open: Int, refused: UInt64, slow: UInt64) {
        state.withLock { ($0.open.count, $0.refused, $0.slow) }
    }

    /// Counts a connection until it closes; false when it is one too many.
    func admit(_ channel: any Channel, from client: IPAddress) -> Bool {
        let isAdmitted = state.withLock { state in
            let isAdmitted = state.open.admit(
                channel, from: client, limit: limits.connections, perClientLimit: limits.connectionsPerClient)
            if !isAdmitted { state.refused += 1 }
            return isAdmitted
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { _ in self.state.withLock { $0.open.forget(channel, from: client) } }
        }
        return isAdmitted
    }

    func noteSlow() { state.withLock { $0.slow += 1 } }

    func closeAll() {
        for channel in state.withLock({ $0.open.all }) { channel.close(promise: nil) }
    }
}
