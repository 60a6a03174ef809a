import CLinux
import Glibc
import Health
import IPNetworks
import LinuxSupport
import NIOCore
import Synchronization

/// Checks over TCP without TLS and by echo requests, on bare sockets: for those there are thousands of, a channel each costs more than all
/// else. Their pace is that of ``Bench``.
///
///     use, close ──► inbox, bell ──► thread: events, deadlines ──► report
///
/// `@unchecked Sendable`: but for inbox, counters and bell everything is touched on its thread only.
final class PlainBench: @unchecked Sendable {
    private enum Order {
        case use(Set<Bench.Key>)
        case close(CheckedContinuation<Void, Never>?)
    }

    private static let eventsAtOnce = 256
    private static let bellTag = UInt64.max
    private static let longestWait: Int64 = 60_000_000_000

    private let limit: Int
    private let report: ([ProbeReport]) -> Void
    private let inbox = Mutex<[Order]>([])
    let counted = Mutex(ProbeCounters())
    let poll: CInt
    private let bell: CInt

    // Of the thread.
    private var jobs: [PlainJob?] = []
    private var free: [Int] = []
    private var turns: UInt32 = 0
    private var indices: [Bench.Key: Int] = [:]
    var queue = DeadlineQueue()
    var running = 0
    /// Due, and waiting for another to end.
    private var waiting = CircularBuffer<PlainJob>()
    var pings: Pings
    var batch = ReportBatch()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var now: Int64 = 0

    /// One with its thread.
    ///
    /// - Throws: a `SystemError` when the system has no descriptors or no thread.
    static func started(limit: Int, _ report: @escaping ([ProbeReport]) -> Void) throws -> PlainBench {
        let bench = try PlainBench(limit: limit, report)
        try startThread(named: "probes") { bench.run() }
        return bench
    }

    private init(limit: Int, _ report: @escaping ([ProbeReport]) -> Void) throws {
        self.limit = limit
        self.report = report
        poll = try callReturningErrno("epoll_create1") { linux_poll_open() }
        bell = linux_bell_open()
        pings = Pings(poll: poll)
        // All properties are set, so `deinit` runs after a throw, and closes both.
        try callReturningErrno("eventfd") { bell }
        try callReturningErrno("epoll_ctl") { linux_poll_watch(poll, bell, false, Self.bellTag, false) }
    }

    deinit {
        pings.close()
        Glibc.close(poll)
        Glibc.close(bell)
    }

    var counters: ProbeCounters { counted.withLock { $0 } }

    /// Asks what `plan` says from now on, as far as it is of this bench. Checks that stay go on as they are.
    func use(_ plan: [String: [Check]]) {
        let wanted = plan.flatMap { node, checks in
            checks.filter(PlainJob.takes).map { Bench.Key(node: node, check: $0) }
        }
        counted.withLock { $0.checks = Set(wanted).count }
        send(.use(Set(wanted)))
    }

    /// Ends all probes; nothing is reported afterwards.
    func close() async { await withCheckedContinuation { send(.close($0)) } }

    private func send(_ order: Order) {
        inbox.withLock { $0.append(order) }
        linux_bell_ring(bell)
    }

    // MARK: - On the thread

    private func run() {
        var ready = [linux_ready](repeating: linux_ready(), count: Self.eventsAtOnce)
        while true {
            let count = linux_poll_wait(poll, &ready, CInt(ready.count), milliseconds())
            now = Self.clock()
            for event in ready.prefix(Int(max(0, count))) {
                if event.tag == Self.bellTag { linux_bell_answer(bell) } else { take(event) }
            }
            guard obey() else { return }
            while let entry = queue.next(at: now) { take(entry) }
            startWaiting()
            if let due = batch.due, due <= now { report(batch.take()) }
        }
    }

    /// Until the next deadline, rounded up.
    private func milliseconds() -> CInt {
        let due = min(queue.first ?? .max, batch.due ?? .max)
        let left = min(max(0, due == .max ? Self.longestWait : due - Self.clock()), Self.longestWait)
        return CInt((left + 999_999) / 1_000_000)
    }

    static func clock() -> Int64 { MonotonicClock.nanoseconds }

    /// - Returns: whether to go on.
    private func obey() -> Bool {
        let orders = inbox.withLock { orders in
            defer { orders = [] }
            return orders
        }
        for order in orders {
            switch order {
            case .use(let wanted): replace(by: wanted)
            case .close(let closed):
                replace(by: [])
                closed?.resume()
                return false
            }
        }
        return true
    }

    private func replace(by wanted: Set<Bench.Key>) {
        for (key, index) in indices where !wanted.contains(key) {
            indices[key] = nil
            if let job = jobs[index] { drop(job) }
        }
        for key in wanted where indices[key] == nil {
            let index = free.popLast() ?? jobs.count
            if index == jobs.count { jobs.append(nil) }
            let phase = Int64.random(in: 0..<key.check.intervalMilliseconds * 1_000_000)
            let job = PlainJob(key, index: index, due: Self.clock() + phase, turn: nextTurn())
            jobs[index] = job
            indices[key] = index
            queue.add(.init(due: job.due, job: index, turn: job.turn))
        }
    }

    private func drop(_ job: PlainJob) {
        if job.stage != .idle { hangUp(job) }
        jobs[job.index] = nil
        free.append(job.index)
    }

    /// A number that no job has had, so that the index of one that is gone may be another's at once.
    func nextTurn() -> UInt32 {
        turns &+= 1
        return turns
    }

    private func job(_ index: Int, _ turn: UInt32) -> PlainJob? {
        guard jobs.indices.contains(index), let job = jobs[index], job.turn == turn else { return nil }
        return job
    }

    private func take(_ entry: DeadlineQueue.Entry) {
        guard let job = job(entry.job, entry.turn) else { return }
        let check = job.key.check
        guard job.stage == .idle else {
            let outcome = ProbeOutcome.silence(
                timeoutMilliseconds: check.timeoutMilliseconds, lateNanoseconds: now - entry.due)
            if outcome.result == .unasked { counted.withLock { $0.delayed += 1 } }
            return end(job, outcome)
        }
        if running < limit {
            if now - job.due > check.intervalMilliseconds * 500_000 { counted.withLock { $0.delayed += 1 } }
            return begin(job)
        }
        counted.withLock { $0.delayed += 1 }
        waiting.append(job)
    }

    private func take(_ event: linux_ready) {
        if event.tag >= Pings.firstTag { return takePings(event.tag) }
        guard let job = job(Int(event.tag >> 32), UInt32(truncatingIfNeeded: event.tag)) else { return }
        proceed(job)
    }

    private func takePings(_ tag: UInt64) {
        // Every reply that comes to this machine is here; the others are told of again.
        for _ in 0..<Self.eventsAtOnce {
            guard let answered = pings.next(tag, &buffer) else { return }
            guard let job = job(Int(answered >> 32), UInt32(truncatingIfNeeded: answered)), job.ping != nil else {
                continue
            }
            end(job, .passed("answered"))
        }
    }

    private func startWaiting() {
        while running < limit, let job = waiting.popFirst() {
            if jobs[job.index] === job, job.stage == .idle { begin(job) }
        }
    }
}
