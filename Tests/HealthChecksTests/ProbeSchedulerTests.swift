import Health
import HealthChecks
import IPNetworks
import Testing

/// Numbers that are the same in every run.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}

private let millisecond: Int64 = 1_000_000

/// A scheduler with a clock that a test moves, and what came of its steps.
private struct World {
    var scheduler: ProbeScheduler
    var now: Int64 = 1_000_000 * millisecond
    /// Probes that were begun, in order, with when.
    var begun: [(id: ProbeID, check: Check, at: Int64)] = []
    var running: Set<ProbeID> = []
    var cancelled: [ProbeID] = []
    var reports: [(report: ProbeReport, at: Int64)] = []

    init(limit: Int = 100, seed: UInt64 = 1) {
        scheduler = ProbeScheduler(limit: limit, random: Seeded(state: seed))
    }

    mutating func use(_ checks: some Sequence<Check>) {
        scheduler.use(Set(checks.map { ProbeScheduler.Key(node: "node", check: $0) }), at: now)
    }

    /// One after the other, so that their phases do not hang on the order of a set.
    mutating func add(_ checks: [Check]) {
        for count in 1...checks.count { use(checks.prefix(count)) }
    }

    /// Takes the steps that are due. `answer` gives a probe that begins its outcome at once; `nil`: none yet.
    mutating func take(_ answer: (Check) -> ProbeOutcome? = { _ in nil }) {
        while let step = scheduler.next(at: now) {
            switch step {
            case .begin(let id, let check):
                begun.append((id, check, now))
                running.insert(id)
                if let outcome = answer(check) { finish(id, outcome) }
            case .cancel(let id):
                cancelled.append(id)
                running.remove(id)
            case .report(let some): reports += some.map { ($0, now) }
            }
        }
    }

    mutating func finish(_ id: ProbeID, _ outcome: ProbeOutcome) {
        running.remove(id)
        scheduler.finish(id, outcome, at: now)
    }

    /// Goes from deadline to deadline for some time.
    mutating func pass(_ time: Int64, _ answer: (Check) -> ProbeOutcome? = { _ in .passed("") }) {
        let end = now + time
        while let deadline = scheduler.deadline, deadline <= end {
            now = max(now, deadline)
            take(answer)
        }
        now = end
        take(answer)
    }
}

private func check(
    _ number: UInt32 = 0, interval: Int64 = 1_000, timeout: Int64 = 500
) -> Check {
    Check(
        .tcp(TCPProbe(port: 80)), target: .v4(0x0a00_0000 + number), intervalMilliseconds: interval,
        timeoutMilliseconds: timeout)
}

@Suite("Probe scheduler") struct ProbeSchedulerTests {
    @Test("first probes are spread over the first interval, each check once")
    func spread() {
        var world = World(limit: 10_000)
        let start = world.now
        world.use((0..<1_000).map { check($0) })
        world.pass(1_000 * millisecond - 1)
        #expect(world.begun.count >= 1_000)
        #expect(Set(world.begun.map(\.check)).count == 1_000)
        for tenth in 0..<10 as Range<Int64> {
            let times = start + tenth * 100 * millisecond..<start + (tenth + 1) * 100 * millisecond
            #expect((60...140).contains(world.begun.count { times.contains($0.at) }))
        }
    }

    @Test("probes begin an interval apart, ±5 %, however long they take, and the pace does not drift")
    func pace() {
        var world = World()
        world.use([check(timeout: 900)])
        world.pass(1_000 * millisecond) { _ in nil }
        world.pass(1_000_000 * millisecond) { _ in nil }
        let times = world.begun.map(\.at)
        for (first, second) in zip(times, times.dropFirst()) {
            #expect((950 * millisecond...1_050 * millisecond).contains(second - first))
        }
        #expect((995...1_006).contains(times.count))
        #expect(Set(zip(times, times.dropFirst()).map { $1 - $0 }).count > 900, "the pace varies")
    }

    @Test("a probe that begins again has its whole timeout from then on, and its time counts from then on")
    func restart() throws {
        var world = World()
        world.use([check(interval: 10_000, timeout: 500)])
        world.now = try #require(world.scheduler.deadline)
        world.take()
        let id = try #require(world.begun.first?.id)
        world.now += 200 * millisecond
        world.scheduler.restart(id, at: world.now, address: nil)
        world.now += 400 * millisecond
        world.take()
        #expect(world.running == [id], "the first deadline has passed")
        world.finish(id, .passed(""))
        world.pass(100 * millisecond)
        #expect(world.reports.map(\.report.tookMicroseconds) == [400_000])
        // Without an answer it ends when the new timeout does.
        world.now = try #require(world.scheduler.deadline)
        world.take()
        let next = try #require(world.begun.last?.id)
        world.now += 200 * millisecond
        world.scheduler.restart(next, at: world.now, address: IPAddress("192.0.2.7"))
        world.now += 499 * millisecond
        world.take()
        #expect(world.running == [next])
        world.now += millisecond
        world.take()
        #expect(world.running.isEmpty && world.cancelled == [next])
        world.pass(100 * millisecond)
        #expect(world.reports.last?.report.outcome == .failed("no answer within 500 ms at 192.0.2.7"))
    }

    @Test("probes missed while the machine stood still are not made up for, and are spread again")
    func standstill() {
        var world = World(limit: 10_000)
        world.use((0..<1_000).map { check($0) })
        world.pass(3_000 * millisecond)
        let before = world.begun.count
        world.now += 60_000 * millisecond
        world.take { _ in .passed("") }
        #expect(world.begun.count - before == 1_000)
        #expect(world.scheduler.counters.delayed == 1_000)
        let start = world.now
        world.pass(1_000 * millisecond - 1)
        let next = world.begun.dropFirst(before + 1_000)
        #expect(Set(next.map(\.check)).count == 1_000)
        for tenth in 0..<10 as Range<Int64> {
            let times = start + tenth * 100 * millisecond..<start + (tenth + 1) * 100 * millisecond
            #expect((50...150).contains(next.count { times.contains($0.at) }))
        }
    }

    @Test(
        "no more probes than the limit run at once; the others wait in the order in which they were due, and are counted"
    )
    func limit() {
        let checks = (0..<10).map { check($0, interval: 10_000, timeout: 9_000) }
        var (free, world) = (World(), World(limit: 3))
        free.add(checks)
        world.add(checks)
        // Before the first timeout.
        free.pass(8_999 * millisecond) { _ in nil }
        world.pass(8_999 * millisecond) { _ in nil }
        let order = free.begun.map(\.check)
        #expect(order.count >= 6)
        #expect(world.begun.map(\.check) == Array(order.prefix(3)))
        #expect(world.scheduler.counters.delayed == UInt64(order.count - 3))
        for count in 4...order.count {
            world.finish(world.begun[count - 4].id, .passed(""))
            world.take { _ in nil }
            #expect(world.begun.map(\.check) == Array(order.prefix(count)))
            #expect(world.running.count == 3 && world.scheduler.running == 3)
        }
        #expect(free.scheduler.counters.delayed == 0)
    }

    @Test("a waiting probe begins before one that is due later")
    func order() {
        let checks = (0..<3).map { check($0, interval: 10_000, timeout: 9_000) }
        var (free, world) = (World(), World(limit: 1))
        free.add(checks)
        world.add(checks)
        free.pass(9_999 * millisecond) { _ in .passed("") }
        for begun in free.begun.prefix(2) {
            world.now = begun.at
            world.take()
        }
        world.now = free.begun[2].at
        world.finish(world.begun[0].id, .passed(""))
        world.take()
        #expect(world.begun.map(\.check) == free.begun.prefix(2).map(\.check))
    }

    @Test("a missing answer is a failure at the timeout, and the transport is told to cancel the probe")
    func silence() {
        var world = World()
        world.use([check(timeout: 300)])
        world.pass(1_000 * millisecond - 1) { _ in nil }
        world.pass(300 * millisecond) { _ in nil }
        let began = world.begun[0]
        #expect(world.cancelled.first == began.id)
        let (report, at) = world.reports[0]
        #expect(report.outcome.result == .failed && report.outcome.evidence == "no answer within 300 ms")
        #expect(at == began.at + 300 * millisecond)
        #expect(report.tookMicroseconds == 300_000)
        #expect(report.at == Moment(milliseconds: at / millisecond))
        #expect(world.scheduler.counters.failed >= 1 && world.scheduler.counters.delayed == 0)
    }

    @Test(
        "a timeout that this machine notices too late says nothing about the node",
        arguments: [(300 as Int64, CheckResult.failed), (301, .unasked)])
    func busy(late: Int64, result: CheckResult) {
        var world = World()
        world.use([check(interval: 10_000, timeout: 300)])
        world.now = world.scheduler.deadline!
        world.take()
        world.now += (300 + late) * millisecond
        world.take()
        #expect(world.reports.map(\.report.outcome.result) == [result])
        #expect(world.scheduler.counters.delayed == (result == .unasked ? 1 : 0))
        #expect(world.scheduler.counters.unasked == (result == .unasked ? 1 : 0))
    }

    @Test("a success waits 20 ms for others, and a failure is reported at once with all that wait")
    func batches() {
        var world = World()
        world.use((0..<4).map { check($0, interval: 100, timeout: 99) })
        world.now += 100 * millisecond
        world.take()
        #expect(world.running.count == 4)
        let ids = world.begun.map(\.id)
        let start = world.now
        world.finish(ids[0], .passed("a"))
        world.take()
        #expect(world.reports.isEmpty && world.scheduler.deadline == start + 20 * millisecond)
        world.now += 19 * millisecond
        world.finish(ids[1], .passed("b"))
        world.take()
        #expect(world.reports.isEmpty && world.scheduler.deadline == start + 20 * millisecond)
        world.now += millisecond
        world.take()
        #expect(world.reports.map(\.report.outcome.evidence) == ["a", "b"])
        world.finish(ids[2], .passed("c"))
        world.finish(ids[3], .failed("d"))
        world.take()
        #expect(world.reports.map(\.report.outcome.evidence) == ["a", "b", "c", "d"])
    }

    @Test("a removed check is cancelled without a report, and its late outcome is ignored")
    func gone() {
        var world = World()
        world.use([check(1, interval: 100, timeout: 99), check(2, interval: 100, timeout: 99)])
        world.now += 100 * millisecond
        world.take()
        let ids = world.begun.map { ($0.check, $0.id) }
        world.use([check(2, interval: 100, timeout: 99), check(3, interval: 100, timeout: 99)])
        world.take()
        let gone = ids.first { $0.0 == check(1, interval: 100, timeout: 99) }!.1
        #expect(world.cancelled == [gone])
        #expect(world.scheduler.running == 1)
        world.now += 60 * millisecond
        world.take()
        // The slot may be another's by now.
        world.finish(gone, .failed("late"))
        world.take()
        #expect(world.reports.isEmpty && world.scheduler.counters.failed == 0)
        #expect(world.scheduler.running == world.running.count)
    }

    @Test("a check that stays in a new plan keeps its pace")
    func stays() {
        var (alone, changed) = (World(seed: 7), World(seed: 7))
        alone.use([check(1)])
        changed.use([check(1)])
        let due = alone.scheduler.deadline
        for _ in 0..<50 { changed.use([check(1)]) }
        #expect(changed.scheduler.deadline == due)
        changed.use([check(1), check(2)])
        changed.use([check(1)])
        #expect(changed.scheduler.deadline == due)
        changed.use([])
        #expect(changed.scheduler.deadline == nil)
    }

    @Test(
        "in random sequences no probe is lost, none ends twice, and none exceeds the limit",
        arguments: 1...20 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = Seeded(state: seed &* 0x1234_5678_9abc)
        let limit = Int.random(in: 1...6, using: &random)
        var world = World(limit: limit, seed: seed)
        var plan: Set<UInt32> = []
        var (finished, dropped) = (0, 0)
        func all(_ plan: Set<UInt32>) -> [Check] { plan.map { check($0, interval: 100 + Int64($0) * 40, timeout: 90) } }
        for _ in 0..<3_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let number = UInt32.random(in: 0..<16, using: &random)
                if plan.remove(number) == nil { plan.insert(number) }
                let before = world.cancelled.count
                world.use(all(plan))
                world.take()
                dropped += world.cancelled.count - before
            case 1...5:
                if let id = world.running.randomElement(using: &random) {
                    world.finish(id, Bool.random(using: &random) ? .passed("") : .failed(""))
                    finished += 1
                    // Twice is as once.
                    world.finish(id, .failed(""))
                }
            default: world.now += Int64.random(in: 0..<30 * millisecond, using: &random)
            }
            world.take()
            #expect(world.scheduler.running == world.running.count && world.running.count <= limit)
            #expect(Set(world.running.map(\.slot)).count == world.running.count, "one probe of a check at a time")
        }
        world.now += 20 * millisecond
        world.take()
        let counters = world.scheduler.counters
        let ended = Int(counters.passed + counters.failed + counters.unasked)
        #expect(ended == world.reports.count)
        #expect(world.begun.count == ended + dropped + world.running.count)
        #expect(world.cancelled.count == ended - finished + dropped)
        #expect(finished > 100 && dropped > 0 && ended > finished)
    }
}
