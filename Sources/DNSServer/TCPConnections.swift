import NIOCore
import Synchronization

/// The open connections of one server, and what they hold together.
package final class TCPConnections: Sendable {
    let limits: StreamLimits
    package let open: OpenConnections
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

    /// How long a connection may do nothing. As long when places are few: who has most of them gives way, and a shorter time
    /// would make those come back sooner who do nothing.
    var patience: TimeAmount { .seconds(limits.idleSeconds) }

    /// How long a handshake may take, and never longer than a connection may be silent.
    var handshakePatience: TimeAmount { min(patience, .seconds(limits.handshakes.seconds)) }

    func noteProgress(_ ticket: OpenConnections.Ticket) { open.noteProgress(ticket) }
    func noteHandshake(_ ticket: OpenConnections.Ticket) { open.noteHandshake(ticket) }
    func noteClosing(_ cause: OpenConnections.Cause) { open.noteClosing(cause) }

    /// A connection holds `change` bytes more than before, or fewer.
    ///
    /// - Returns: false when that is more than all may hold together; then it is not counted.
    func hold(_ change: Int) -> Bool {
        let after = buffered.wrappingAdd(change, ordering: .relaxed).newValue
        guard change > 0, after > limits.bufferedBytes else { return true }
        buffered.wrappingSubtract(change, ordering: .relaxed)
        return false
    }

    /// Admits nobody from now on and tells each connection to finish.
    ///
    /// - Returns: those still open.
    func drain() -> [any Channel] {
        let open = open.drain()
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(TCPConnectionHandler.Drain()) }
        return open
    }
}

extension TimeAmount {
    fileprivate static func seconds(_ seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }
}
