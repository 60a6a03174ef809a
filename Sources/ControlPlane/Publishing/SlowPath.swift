package import DNSServer
import DNSWire
import Glibc
package import IPNetworks
import LinuxSupport
package import Resolution
import Steering
import Synchronization

/// The slow path: answers what the fast path passed up, from the model of the moment, and counts verdicts.
package final class SlowPath: PacketAnswering {
    private final class Counter: Sendable {
        let value = Atomic<UInt64>(0)
    }

    /// What a packet is answered from, all of it.
    private final class Current: Sendable {
        let resolver: ModelResolver
        /// When it began to answer, in seconds since 1970.
        let since: Int

        package init(_ resolver: ModelResolver) {
            self.resolver = resolver
            since = time(nil)
        }
    }

    private let serving: ReadMostly<Current>
    private let counters = Verdict.allCases.map { _ in Counter() }
    /// Queries by transport, type and rcode.
    package let tally = QueryTally()
    /// Answers that led to each node, by its slot.
    package let nodeAnswers = NodeTally()

    package init(_ resolver: ModelResolver) {
        serving = ReadMostly(Current(resolver))
        nodeAnswers.assign(resolver.model.steering.nodes)
    }

    package func answer(
        _ packet: UnsafeRawBufferPointer, from client: SocketEndpoint, over transport: Transport,
        into reply: inout [UInt8]
    ) {
        var node: Int?
        let verdict = serving.read {
            $0.resolver.respond(
                to: packet, from: client.address, port: client.port, over: transport.served, at: Self.second,
                into: &reply, leadingTo: &node)
        }
        if let node { nodeAnswers.count(node) }
        counters[Int(verdict.rawValue)].value.add(1, ordering: .relaxed)
        tally.count(packet, transport, verdict, reply)
    }

    package func shorten(_ reply: UnsafeMutableRawBufferPointer) -> Int { TruncatedMessage.make(of: reply) }

    /// The clock's second, without a system call: the kernel keeps the coarse clock in memory that is shared with it.
    private static var second: UInt32 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return UInt32(truncatingIfNeeded: now.tv_sec)
    }

    /// Answers every later packet by another resolver. One caller at a time, and `retire` between two calls.
    func replace(with resolver: ModelResolver) {
        nodeAnswers.assign(resolver.model.steering.nodes)
        serving.replace(with: Current(resolver))
    }

    /// Waits until no packet is answered by the resolver before any more.
    ///
    /// A reader has a resolver for one packet, some microseconds, and signals nothing when it leaves: a signal would cost
    /// every packet a system call. So this looks again after a pause, which grows to 10 ms.
    func retire() async {
        var pause = Duration.microseconds(50)
        while !serving.releaseEarlier() {
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(10))
        }
    }

    /// The resolver of the moment.
    package var resolver: ModelResolver { serving.read { $0.resolver } }

    /// When the resolver of the moment began to answer, in seconds since 1970.
    package var since: Int { serving.read { $0.since } }

    /// Queries by verdict.
    package var counts: [String: UInt64] {
        var counts: [String: UInt64] = [:]
        for verdict in Verdict.allCases {
            counts[verdict.name] = counters[Int(verdict.rawValue)].value.load(ordering: .relaxed)
        }
        return counts
    }
}

extension DNSServer.Transport {
    /// The same, as the resolver calls it.
    fileprivate var served: QueryTransport {
        switch self {
        case .udp: .udp
        case .tcp: .tcp
        case .tls: .tls
        }
    }
}
