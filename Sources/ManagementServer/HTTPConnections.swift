import DNSServer
import NIOCore
import Synchronization

/// The open connections of a listener for HTTP on the network, and why the server closed some.
final class HTTPConnections: Sendable {
    let limits: ReportServer.Limits
    let open: OpenConnections
    /// Connections that sent too much before a request that is served.
    private let flooded = Atomic<UInt64>(0)

    init(_ limits: ReportServer.Limits, isEncrypted: Bool) {
        self.limits = limits
        open = OpenConnections(
            limit: limits.connections, perClient: limits.connectionsPerClient,
            crowdPace: .reports, handshakes: isEncrypted ? HandshakeLimits() : nil)
    }

    var count: Int { open.count }

    /// Connections closed, by cause. `refused` ones never had a place.
    var closed: [(cause: String, count: UInt64)] {
        let closed = open.closed
        func sum(_ causes: OpenConnections.Cause...) -> UInt64 { causes.reduce(0) { $0 + (closed[$1] ?? 0) } }
        return [
            ("refused", sum(.rate, .shutdown)), ("client", sum(.client)), ("network", sum(.network)),
            ("handshakes", sum(.handshakes)), ("slow", sum(.idle)), ("input", flooded.load(ordering: .relaxed)),
        ]
    }

    func noteProgress(_ ticket: OpenConnections.Ticket) { open.noteProgress(ticket) }
    func noteHandshake(_ ticket: OpenConnections.Ticket) { open.noteHandshake(ticket) }
    func noteSlow() { open.noteClosing(.idle) }
    func noteFlood() { flooded.wrappingAdd(1, ordering: .relaxed) }

    func closeAll() {
        for channel in open.drain() { channel.close(promise: nil) }
    }
}
