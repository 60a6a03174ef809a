import DNSServer
import IPNetworks
import Serving
import Synchronization

/// The slow path: answers what the fast path passed up, and counts verdicts.
final class Answering: PacketAnswering {
    private final class Counter: Sendable {
        let value = Atomic<UInt64>(0)
    }

    let resolver: ModelResolver
    private let counters = Verdict.allCases.map { _ in Counter() }

    init(_ resolver: ModelResolver) { self.resolver = resolver }

    func answer(
        _ packet: UnsafeRawBufferPointer, from client: IPAddress, over transport: Transport, into reply: inout [UInt8]
    ) {
        let verdict = resolver.respond(to: packet, from: client, overTCP: transport != .udp, into: &reply)
        counters[Int(verdict.rawValue)].value.add(1, ordering: .relaxed)
    }

    /// Queries by verdict.
    var counts: [String: UInt64] {
        var counts: [String: UInt64] = [:]
        for verdict in Verdict.allCases {
            counts[verdict.name] = counters[Int(verdict.rawValue)].value.load(ordering: .relaxed)
        }
        return counts
    }
}
