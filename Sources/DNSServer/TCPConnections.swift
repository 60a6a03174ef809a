import NIOCore
import Synchronization
import Telemetry

/// The open connections of one server, and the memory they hold together.
package final class TCPConnections: Sendable {
    let limits: StreamLimits
    package let open: OpenConnections
    let latency = LatencyHistogram()
    private let buffered = Atomic<Int>(0)

    package init(_ limits: StreamLimits, isEncrypted: Bool) {
        self.limits = limits
        open = OpenConnections(
            limit: limits.connections, perClient: limits.connectionsPerClient,
            crowdPace: .crowd, handshakes: isEncrypted ? limits.handshakes : nil)
    }

    package var counters: TCPServer.Counters {
        let closed = open.closed
        return .init(
            open: open.count, accepted: open.accepted,
            closed: .init(uniqueKeysWithValues: OpenConnections.Cause.allCases.map { ($0.rawValue, closed[$0] ?? 0) }),
            buffered: buffered.load(ordering: .relaxed))
    }

    /// How long a connection may be idle. It does not shrink when places are few: the network with the most gives way
    /// then, and a shorter timeout would only make idle clients reconnect sooner.
    var patience: TimeAmount { .seconds(limits.idleSeconds) }

    /// How long a handshake may take. Never longer than the idle timeout.
    var handshakePatience: TimeAmount { min(patience, .seconds(limits.handshakes.seconds)) }

    func noteProgress(_ ticket: OpenConnections.Ticket) { open.noteProgress(ticket) }
    func noteHandshake(_ ticket: OpenConnections.Ticket) { open.noteHandshake(ticket) }
    func noteClosing(_ cause: OpenConnections.Cause) { open.noteClosing(cause) }

    /// Records that a connection holds `change` bytes more than before (negative: fewer).
    ///
    /// - Returns: false when that exceeds the limit of all connections. The bytes are not counted then.
    func hold(_ change: Int) -> Bool {
        let after = buffered.wrappingAdd(change, ordering: .relaxed).newValue
        guard change > 0, after > limits.bufferedBytes else { return true }
        buffered.wrappingSubtract(change, ordering: .relaxed)
        return false
    }

    /// Admits no further connection and asks each open one to finish.
    ///
    /// - Returns: the connections still open.
    func drain() -> [any Channel] {
        let open = open.drain()
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(TCPConnectionHandler.Drain()) }
        return open
    }
}

extension TimeAmount {
    fileprivate static func seconds(_ seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }
}
