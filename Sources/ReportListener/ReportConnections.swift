import DNSServer
import IPNetworks
import NIOCore
import Synchronization

/// The open connections of those who report, counted against the limits.
final class ReportConnections: Sendable {
    let limits: ReportServer.Limits
    private let open: OpenConnections
    private let slow = Atomic<UInt64>(0)

    init(_ limits: ReportServer.Limits, handshakes: HandshakeBudget?) {
        self.limits = limits
        open = OpenConnections(
            limit: limits.connections, limitPerClient: limits.connectionsPerClient, handshakes: handshakes)
    }

    var counters: (open: Int, refused: UInt64, evicted: UInt64, slow: UInt64) {
        let counters = open.counters
        return (counters.open, counters.refused, counters.evicted, slow.load(ordering: .relaxed))
    }

    /// Counts a connection until it closes, at the cost of another where there is no place; `nil`: close it.
    func admit(_ channel: any Channel, from client: IPAddress) -> OpenConnections.Place? {
        open.admit(channel, from: client)
    }

    /// A request came with a token that is known.
    func touch(_ place: OpenConnections.Place) { open.touch(place) }

    func noteSlow() { slow.add(1, ordering: .relaxed) }

    func closeAll() {
        for channel in open.drain() { channel.close(promise: nil) }
    }
}
