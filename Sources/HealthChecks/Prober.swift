public import Health
public import HostLookup
import LinuxSupport
import NIOCore
import NIOPosix
import Synchronization

/// Probes all checks of all nodes at their intervals (±5 %), on two threads of its own: those of ``SocketTransport``
/// and ``ChannelTransport``. A target that does not answer holds a descriptor until its timeout, and delays no other
/// probe.
public final class Prober: Sendable {
    /// Results in the order of arrival. A pass waits up to 20 ms to be delivered together with others.
    public let reports = ReportQueue()

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channels: ChannelTransport
    private let sockets: SocketTransport
    private let checks = Mutex(0)

    /// - Parameters:
    ///   - limit: maximum concurrent probes of each transport. Each needs one descriptor.
    ///   - lookup: finds the addresses of checks of hosts.
    public init(limit: Int = Prober.standardLimit, lookup: HostLookup = HostLookup()) {
        let reports = reports
        channels = ChannelTransport(on: group.next(), limit: limit, hosts: HostAddresses(lookup: lookup)) {
            reports.add($0)
        }
        do { sockets = try SocketTransport.started(limit: limit) { reports.add($0) } } catch {
            // As NIO's event loops do: a process without threads or descriptors at its start cannot work.
            fatalError("no thread for probes: \(error)")
        }
    }

    /// An eighth of the process's descriptor limit, at most 8,192: for callers that do not budget descriptors.
    public static var standardLimit: Int { DescriptorLimit.current.map { min($0 / 8, 8_192) } ?? 256 }

    /// Probes the checks of each node in `plan` from now on, and no others. Checks that remain keep their pace.
    public func use(_ plan: [String: [Check]]) {
        var (plain, rest): (Set<ProbeScheduler.Key>, Set<ProbeScheduler.Key>) = ([], [])
        for (node, checks) in plan {
            for check in checks {
                let key = ProbeScheduler.Key(node: node, check: check)
                if SocketProbe.takes(check) { plain.insert(key) } else { rest.insert(key) }
            }
        }
        reports.tally.use(plan)
        checks.withLock { $0 = plain.count + rest.count }
        sockets.use(plain)
        channels.use(rest)
    }

    /// Probes by the id of the node.
    public var nodeProbes: [String: NodeProbes] { reports.tally.counts }

    public var counters: ProbeCounters {
        var sum = sockets.counters + channels.counters
        sum.checks = checks.withLock { $0 }
        sum.delayed += reports.superseded
        return sum
    }

    /// Ends all probes. Nothing is reported afterwards. Call it once, at the end.
    public func close() async {
        await sockets.close()
        await channels.close()
        try? await group.shutdownGracefully()
        reports.close()
    }
}
