public import Health
import LinuxSupport
import NIOCore
import NIOPosix
import Synchronization

/// Probes all checks of all nodes, each in its interval, ±5 %, on two threads of its own: those of ``SocketTransport`` and
/// ``ChannelTransport``. A target that does not answer holds a descriptor until its timeout, and delays no other.
public final class Prober: Sendable {
    /// Results, in the order in which they came. What passed waits up to 20 ms for others.
    public let reports = ReportQueue()

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channels: ChannelTransport
    private let sockets: SocketTransport
    private let checks = Mutex(0)

    /// - Parameter limit: probes under way at once, each with a descriptor: so many of either transport.
    public init(limit: Int = Prober.standardLimit) {
        let reports = reports
        channels = ChannelTransport(on: group.next(), limit: limit) { reports.add($0) }
        do { sockets = try SocketTransport.started(limit: limit) { reports.add($0) } } catch {
            // As the event loops do: a process that has neither threads nor descriptors at its start is of no use.
            fatalError("no thread for probes: \(error)")
        }
    }

    /// An eighth of the descriptors that the process may have, at most 8,192: for callers that do not share them out.
    public static var standardLimit: Int { DescriptorLimit.current.map { min($0 / 8, 8_192) } ?? 256 }

    /// Probes the checks of each node in `plan` from now on, and no others. Those that stay keep their pace.
    public func use(_ plan: [String: [Check]]) {
        var (plain, rest): (Set<ProbeScheduler.Key>, Set<ProbeScheduler.Key>) = ([], [])
        for (node, checks) in plan {
            for check in checks {
                let key = ProbeScheduler.Key(node: node, check: check)
                if SocketProbe.takes(check) { plain.insert(key) } else { rest.insert(key) }
            }
        }
        checks.withLock { $0 = plain.count + rest.count }
        sockets.use(plain)
        channels.use(rest)
    }

    public var counters: ProbeCounters {
        var sum = sockets.counters + channels.counters
        sum.checks = checks.withLock { $0 }
        sum.delayed += reports.superseded
        return sum
    }

    /// Ends all probes; nothing is reported afterwards. To be called once, at the end.
    public func close() async {
        await sockets.close()
        await channels.close()
        try? await group.shutdownGracefully()
        reports.close()
    }
}
