import Glibc
public import Health
import LinuxSupport
import NIOCore
import NIOPosix

/// A result, and what it is the result of.
public struct ProbeReport: Sendable {
    public let node: String
    public let check: Check
    public let outcome: ProbeOutcome
    /// When it was known.
    public let at: Moment
    /// `nil` where nothing was asked.
    public let tookMicroseconds: Int64?
}

/// What a prober has done since its start.
public struct ProbeCounters: Hashable, Sendable {
    /// Checks that are asked now.
    public internal(set) var checks = 0
    public internal(set) var passed: UInt64 = 0
    public internal(set) var failed: UInt64 = 0
    /// This machine could not ask.
    public internal(set) var unasked: UInt64 = 0
    /// Began or judged late: as many as may were on their way, or this machine was too busy.
    public internal(set) var delayed: UInt64 = 0

    public init() {}

    static func + (left: ProbeCounters, right: ProbeCounters) -> ProbeCounters {
        var sum = left
        sum.checks += right.checks
        sum.passed += right.passed
        sum.failed += right.failed
        sum.unasked += right.unasked
        sum.delayed += right.delayed
        return sum
    }

    mutating func count(_ outcome: ProbeOutcome) {
        switch outcome.result {
        case .passed: passed += 1
        case .failed: failed += 1
        case .unasked: unasked += 1
        }
    }
}

/// Asks all checks of all nodes, each in its interval, on two threads of its own: ``PlainBench`` and ``Bench``. A target that does not answer holds a
/// descriptor until its timeout, and delays nobody.
public final class Prober: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let loop: any EventLoop
    private let bench: Bench
    private let plain: PlainBench

    /// - Parameters:
    ///   - limit: probes on their way at once, each with a descriptor: so many of either kind.
    ///   - report: called on one of two threads with results, in the order in which they came.
    public init(limit: Int = Prober.standardLimit, _ report: @escaping @Sendable ([ProbeReport]) -> Void) {
        loop = group.next()
        bench = Bench(on: loop, limit: limit, report)
        do { plain = try PlainBench.started(limit: limit, report) } catch {
            // As the event loops do: a process that has neither threads nor descriptors at its start is of no use.
            fatalError("no thread for checks: \(error)")
        }
    }

    /// An eighth of the descriptors that the process may have, 8,192 at most, where nobody says how many it may take.
    public static var standardLimit: Int {
        DescriptorLimit.current.map { min($0 / 8, 8_192) } ?? 256
    }

    /// Asks what `plan` says from now on: the checks of each node. Those that stay go on as they are.
    public func use(_ plan: [String: [Check]]) {
        plain.use(plan)
        let rest = plan.mapValues { $0.filter { !PlainJob.takes($0) } }
        let bench = bench
        loop.execute { bench.use(rest) }
    }

    public func counters() async -> ProbeCounters {
        let bench = bench
        return plain.counters + ((try? await loop.submit { bench.counters }.get()) ?? ProbeCounters())
    }

    /// Ends all probes; nothing is reported afterwards. To be called once, at the end.
    public func close() async {
        await plain.close()
        let bench = bench
        _ = try? await loop.submit { bench.close() }.get()
        try? await group.shutdownGracefully()
    }
}
