import CLinux
import Glibc
import Health
import LinuxSupport
import Synchronization

/// Runs probes over TCP without TLS and by echo requests, on plain sockets and its own thread. There are thousands of
/// these checks, and a channel for each probe would cost several times the probe.
///
///     use, close ──► orders, bell ──► thread: events, orders, scheduler ──► report
///
/// `@unchecked Sendable`: orders and counters are behind locks, `poll` and `bell` never change, and everything else is
/// touched on the thread only.
final class SocketTransport: ProbeTransport, @unchecked Sendable {
    private struct Orders: Sendable {
        /// The latest plan.
        var plan: Set<ProbeScheduler.Key>?
        var closing: CheckedContinuation<Void, Never>?
    }

    private static let eventsAtOnce = 256
    private static let bellTag = UInt64.max
    private static let longestWait: Int64 = 60_000_000_000

    private let orders = Mutex(Orders())
    private let counted = Mutex(ProbeCounters())
    let poll: CInt
    private let bell: CInt

    // Transport thread only:
    var scheduler: ProbeScheduler
    let report: ([ProbeReport]) -> Void
    /// The running probes, by slot.
    private var probes: [SocketProbe?] = []
    var pings: Pings
    var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Creates a transport and its thread.
    ///
    /// - Throws: a `SystemError` when the system has no descriptors or no thread.
    static func started(limit: Int, _ report: @escaping @Sendable ([ProbeReport]) -> Void) throws -> SocketTransport {
        let transport = try SocketTransport(limit: limit, report)
        try startThread(named: "probes") { transport.run() }
        return transport
    }

    private init(limit: Int, _ report: @escaping @Sendable ([ProbeReport]) -> Void) throws {
        scheduler = ProbeScheduler(limit: limit)
        self.report = report
        poll = try callReturningErrno("epoll_create1") { linux_poll_open() }
        bell = linux_bell_open()
        pings = Pings(poll: poll)
        // All properties are set, so `deinit` runs after a throw and closes both.
        try callReturningErrno("eventfd") { bell }
        try callReturningErrno("epoll_ctl") { linux_poll_watch(poll, bell, false, Self.bellTag, false) }
    }

    deinit {
        pings.close()
        Glibc.close(poll)
        Glibc.close(bell)
    }

    var counters: ProbeCounters { counted.withLock { $0 } }

    /// Probes exactly these checks from now on.
    func use(_ plan: Set<ProbeScheduler.Key>) {
        orders.withLock { $0.plan = plan }
        linux_bell_ring(bell)
    }

    /// Ends all probes. Nothing is reported afterwards.
    func close() async {
        await withCheckedContinuation { continuation in
            orders.withLock { $0.closing = continuation }
            linux_bell_ring(bell)
        }
    }

    // MARK: - On the thread

    private func run() {
        var ready = [linux_ready](repeating: linux_ready(), count: Self.eventsAtOnce)
        while true {
            let count = linux_poll_wait(poll, &ready, CInt(ready.count), milliseconds)
            // Before the events: an answer that comes while they are read is in time for the timeouts of this pass.
            let now = MonotonicClock.nanoseconds
            for event in ready.prefix(Int(max(0, count))) {
                if event.tag == Self.bellTag { linux_bell_answer(bell) } else { take(event.tag) }
            }
            guard follow(at: now) else { return }
            advance(to: now)
            counted.withLock { $0 = scheduler.counters }
        }
    }

    /// Milliseconds until the next deadline, rounded up.
    private var milliseconds: CInt {
        let wait = scheduler.deadline.map { $0 - MonotonicClock.nanoseconds } ?? Self.longestWait
        return CInt((min(max(0, wait), Self.longestWait) + 999_999) / 1_000_000)
    }

    /// Carries out the queued orders.
    ///
    /// - Returns: whether to continue.
    private func follow(at now: Int64) -> Bool {
        let orders = orders.withLock { orders in
            defer { orders.plan = nil }
            return orders
        }
        if let closing = orders.closing {
            for probe in probes { if let probe { hangUp(probe) } }
            closing.resume()
            return false
        }
        if let plan = orders.plan { scheduler.use(plan, at: now) }
        return true
    }

    func begin(_ id: ProbeID, _ check: Check) {
        guard let target = check.target.address else { preconditionFailure("hosts are probed over channels") }
        let probe = SocketProbe(id, check, target)
        let slot = Int(id.slot)
        if slot >= probes.count { probes += [SocketProbe?](repeating: nil, count: slot + 1 - probes.count) }
        probes[slot] = probe
        start(probe)
    }

    func cancel(_ id: ProbeID) {
        if let probe = probe(id) { hangUp(probe) }
    }

    /// Releases the resources of a probe and counts its outcome.
    func end(_ probe: SocketProbe, _ outcome: ProbeOutcome) {
        hangUp(probe)
        finish(probe.id, outcome)
    }

    private func hangUp(_ probe: SocketProbe) {
        if probe.descriptor >= 0 { Glibc.close(probe.descriptor) }
        if let ping = probe.ping { pings.forget(ping) }
        probes[Int(probe.id.slot)] = nil
    }

    private func probe(_ id: ProbeID) -> SocketProbe? {
        guard Int(id.slot) < probes.count, let probe = probes[Int(id.slot)], probe.id == id else { return nil }
        return probe
    }

    private func take(_ tag: UInt64) {
        if tag >= Pings.firstTag { return takePings(tag) }
        if let probe = probe(ProbeID(tag: tag)) { proceed(probe) }
    }

    private func takePings(_ tag: UInt64) {
        // Every reply to this host arrives here. Anything left is an event of the next pass.
        for _ in 0..<Self.eventsAtOnce {
            guard let reply = pings.next(tag, &buffer) else { return }
            guard case .answer(let id) = reply, let probe = probe(id), probe.ping != nil else { continue }
            end(probe, .passed("answered"))
        }
    }
}
