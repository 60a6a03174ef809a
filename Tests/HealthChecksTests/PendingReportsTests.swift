import Health
import HealthChecks
import IPNetworks
import Testing

@Suite("Reports that wait to be read") struct PendingReportsTests {
    private static func report(_ number: Int, of check: Int) -> ProbeReport {
        let check = Check(.icmp, target: .v4(UInt32(check)))
        let at = Moment(milliseconds: Int64(number))
        return .heartbeat(of: "node", check, passed: number % 2 == 0, evidence: "\(number)", at: at)
    }

    @Test("a few waiting reports are kept in order")
    func few() {
        var pending = PendingReports()
        for number in 0..<PendingReports.least { pending.add([Self.report(number, of: number % 3)]) }
        #expect(pending.superseded == 0)
        #expect(pending.take().map(\.outcome.evidence) == (0..<PendingReports.least).map { "\($0)" })
        #expect(pending.take().isEmpty)
    }

    @Test(
        "with many waiting reports, memory is bounded by the checks, and each check's latest report stays",
        arguments: [1, 100, 10_000])
    func many(checks: Int) {
        var pending = PendingReports()
        let total = 20 * max(checks, PendingReports.least)
        var most = 0
        for first in stride(from: 0, to: total, by: 64) {
            pending.add((first..<min(first + 64, total)).map { Self.report($0, of: $0 % checks) })
            most = max(most, pending.count)
        }
        #expect(most <= max(PendingReports.least, 2 * checks))
        let dropped = Int(pending.superseded)
        let left = pending.take()
        #expect(left.count == total - dropped)
        let numbers = left.compactMap { Int($0.outcome.evidence) }
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).isSuperset(of: (total - checks)..<total), "the latest of each check")
    }
}
