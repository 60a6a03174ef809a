import Fixtures
import Glibc
import Health
import HealthChecks
import HostLookup
import IPNetworks
import Synchronization
import Testing

/// What a prober has reported, for tests to wait for.
final class Results: Sendable {
    private let reports = Mutex<[ProbeReport]>([])

    func add(_ reports: [ProbeReport]) { self.reports.withLock { $0 += reports } }

    var all: [ProbeReport] { reports.withLock { $0 } }

    func of(_ node: String) -> [ProbeReport] { all.filter { $0.node == node } }

    /// The first reports of a node, once there are so many.
    func first(_ count: Int, of node: String = "node") async throws -> [ProbeReport] {
        for _ in 0..<6_000 {
            let found = of(node)
            if found.count >= count { return Array(found.prefix(count)) }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure(description: "only \(of(node).count) results of \(node)")
    }
}

/// Probes `plan` while `body` looks at the results.
func withProber<Result>(
    _ plan: [String: [Check]], limit: Int = 100, lookup: HostLookup = HostLookup(),
    _ body: (Prober, Results) async throws -> Result
) async throws -> Result {
    let results = Results()
    let prober = Prober(limit: limit, lookup: lookup)
    let collecting = Task { for await some in prober.reports { results.add(some) } }
    prober.use(plan)
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(prober, results)) } catch { result = .failure(error) }
    await prober.close()
    // Closing ends the reports.
    await collecting.value
    return try result.get()
}

/// The first outcome of a check that says something about the target; the tenth if this machine can never judge.
func outcome(of probe: Check.Probe, at target: IPAddress = .v4(0x7f00_0001), timeout: Int64 = 10_000) async throws
    -> ProbeOutcome
{
    // The first probe begins at a random point of the interval, the next one after the first has ended.
    let check = Check(probe, target: target, intervalMilliseconds: 100, timeoutMilliseconds: timeout)
    return try await withProber(["node": [check]]) { _, results in
        var last = try await results.first(1)[0].outcome
        for count in 2...10 where last.result == .unasked { last = try await results.first(count)[count - 1].outcome }
        return last
    }
}

/// Expects the probes of a check, which passes, to begin an interval apart.
func expectPace(of probe: Check.Probe) async throws {
    let check = Check(probe, target: .v4(0x7f00_0001), intervalMilliseconds: 100, timeoutMilliseconds: 90)
    let times = try await withProber(["node": [check]]) { _, results in
        try await results.first(22).map(\.at)
    }
    // On a busy machine a probe may be late, and the next pause is then shorter. So a quarter of the pauses has to be
    // right; `ProbeSchedulerTests` checks each of them with a clock of its own.
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(pauses.count { (90...140).contains($0) } >= 5, "\(pauses)")
}
