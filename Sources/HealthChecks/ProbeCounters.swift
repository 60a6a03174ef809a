import Health

/// Counters of a prober since its start.
public struct ProbeCounters: Hashable, Sendable {
    /// Checks that are currently probed.
    public internal(set) var checks = 0
    public internal(set) var passed: UInt64 = 0
    public internal(set) var failed: UInt64 = 0
    /// Probes that this host could not run.
    public internal(set) var unasked: UInt64 = 0
    /// Probes that began or were judged late, because the limit of concurrent probes was reached or the host was too
    /// busy.
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
        case .failed, .refused: failed += 1
        case .unasked: unasked += 1
        }
    }
}
