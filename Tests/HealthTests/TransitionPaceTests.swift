import Health
import Testing

@Suite struct TransitionPaceTests {
    private let start = Moment(milliseconds: 5_000)

    @Test("each author can change each node sixty times at once, then once a second")
    func pace() {
        var pace = TransitionPace()
        for _ in 0..<60 {
            #expect(pace.wait(for: "agent", changing: "ber", at: start) == nil)
            pace.count(1, by: "agent", changing: "ber", at: start)
        }
        #expect(pace.wait(for: "agent", changing: "ber", at: start) == 1_000)
        #expect(pace.wait(for: "agent", changing: "nyc", at: start) == nil)
        #expect(pace.wait(for: "other", changing: "ber", at: start) == nil)
        #expect(pace.wait(for: "agent", changing: "ber", at: start + 999) == 1)
        #expect(pace.wait(for: "agent", changing: "ber", at: start + 1_000) == nil)
        pace.count(1, by: "agent", changing: "ber", at: start + 1_000)
        #expect(pace.wait(for: "agent", changing: "ber", at: start + 1_000) == 1_000)
    }

    @Test("over an hour at full speed no more than one change a second is made, after the first sixty")
    func rate() {
        var pace = TransitionPace()
        var changes = 0
        for millisecond in stride(from: Int64(0), to: 3_600_000, by: 10) {
            guard pace.wait(for: "agent", changing: "ber", at: start + millisecond) == nil else { continue }
            pace.count(1, by: "agent", changing: "ber", at: start + millisecond)
            changes += 1
        }
        #expect((3_600...3_660).contains(changes), "\(changes)")
    }

    @Test("a report without a change is free, and old authors are forgotten")
    func free() {
        var pace = TransitionPace()
        for _ in 0..<1_000 { pace.count(0, by: "agent", changing: "ber", at: start) }
        #expect(pace.wait(for: "agent", changing: "ber", at: start) == nil)
        pace.count(200, by: "agent", changing: "ber", at: start)
        #expect(pace.wait(for: "agent", changing: "ber", at: start) == 141_000)
        pace.keep(["nyc"])
        #expect(pace.wait(for: "agent", changing: "ber", at: start) == nil)
    }
}
