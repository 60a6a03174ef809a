import ConnectionLimits
import Testing

@Suite struct PaceTests {
    private static let second: UInt64 = 1_000_000_000

    private func pace(capacity: Int = 100) -> Pace<Int> {
        Pace(common: .init(burst: 10, perSecond: 10), own: .init(burst: 4, perSecond: 2), capacity: capacity)
    }

    @Test("a network alone can use its own burst and the shared one")
    func alone() {
        var pace = pace()
        let taken = (0..<100).count { _ in pace.take(for: 1, at: Self.second) }
        #expect(taken == 10)
    }

    @Test("however much one network asks, another gets its own burst, and more as time passes")
    func apart() {
        var pace = pace()
        var (greedy, modest) = (0, 0)
        for tenth in 0..<600 as Range<UInt64> {
            let now = Self.second + tenth * Self.second / 10
            for _ in 0..<50 where pace.take(for: 1, at: now) { greedy += 1 }
            if tenth % 5 == 0, pace.take(for: 2, at: now) { modest += 1 }
        }
        // Two a second of its own are always there.
        #expect(modest == 120)
        #expect(greedy <= 10 + 4 + 60 * 12)
    }

    @Test("after a pause a network has its whole burst again, and no more")
    func rested() {
        var pace = Pace<Int>(common: .init(burst: 1, perSecond: 1), own: .init(burst: 4, perSecond: 2))
        _ = (0..<100).count { _ in pace.take(for: 1, at: Self.second) }
        let taken = (0..<100).count { _ in pace.take(for: 1, at: 100 * Self.second) }
        #expect(taken == 4)
    }

    @Test("memory is bounded, and a new network is admitted all the same")
    func bounded() {
        var pace = pace(capacity: 50)
        let taken = (0..<1_000).count { pace.take(for: $0, at: Self.second + UInt64($0)) }
        #expect(taken == 1_000)
        #expect(pace.count == 50)
        _ = pace.take(for: 5_000, at: 60 * Self.second)
        #expect(pace.count == 1)
    }
}
