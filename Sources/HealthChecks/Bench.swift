import Glibc
import Health
import IPNetworks
import NIOCore
import NIOHTTP1

/// Checks that ``PlainBench`` does not take: when each is due, and which are on their way. A probe begins an interval after
/// the one before began, give or take a twentieth; the first ones are spread over the first interval.
///
/// `@unchecked Sendable`: it is touched on its event loop only.
final class Bench: @unchecked Sendable {
    struct Key: Hashable {
        let node: String
        let check: Check
    }

    /// `@unchecked Sendable`: as the bench.
    private final class Job: @unchecked Sendable {
        let key: Key
        var due: NIODeadline
        var scheduled: Scheduled<Void>?
        var attempt: Attempt?
        var isWanted = true

        init(_ key: Key, due: NIODeadline) {
            self.key = key
            self.due = due
        }
    }

    private let loop: any EventLoop
    /// Probes on their way at once.
    private let limit: Int
    private let report: ([ProbeReport]) -> Void
    private var jobs: [Key: Job] = [:]
    private var running = 0
    /// Due, and waiting for another to end.
    private var waiting = CircularBuffer<Job>()
    private var contexts = TLSContexts()
    private var batch = ReportBatch()
    /// When the batch goes; `nil`: there is none.
    private var sending: NIODeadline?
    private(set) var counters = ProbeCounters()

    init(on loop: any EventLoop, limit: Int, _ report: @escaping ([ProbeReport]) -> Void) {
        self.loop = loop
        self.limit = limit
        self.report = report
    }

    /// Asks what `plan` says from now on. Checks that stay go on as they are.
    func use(_ plan: [String: [Check]]) {
        let wanted = Set(plan.flatMap { node, checks in checks.map { Key(node: node, check: $0) } })
        for (key, job) in jobs where !wanted.contains(key) {
            job.isWanted = false
            job.scheduled?.cancel()
            job.attempt?.finish(.unasked("not wanted any more"))
            jobs[key] = nil
        }
        // Files of authorities may be others now.
        contexts = TLSContexts()
        for key in wanted where jobs[key] == nil {
            let phase = Int64.random(in: 0..<key.check.intervalMilliseconds)
            let job = Job(key, due: .now() + .milliseconds(phase))
            jobs[key] = job
            schedule(job)
        }
        counters.checks = jobs.count
    }

    func close() {
        use([:])
    }

    private func schedule(_ job: Job) {
        job.scheduled = loop.scheduleTask(deadline: job.due) { [self] in
            if running < limit {
                if NIODeadline.now() - job.due > .milliseconds(job.key.check.intervalMilliseconds / 2) {
                    counters.delayed += 1
                }
                start(job)
            } else {
                counters.delayed += 1
                waiting.append(job)
            }
        }
    }

    private func start(_ job: Job) {
        running += 1
        let (check, began) = (job.key.check, NIODeadline.now())
        let attempt = Attempt(on: loop, timeoutMilliseconds: check.timeoutMilliseconds) { [self] outcome in
            end(job, outcome, began)
        }
        job.attempt = attempt
        begin(check, attempt)
    }

    private func end(_ job: Job, _ outcome: ProbeOutcome, _ began: NIODeadline) {
        running -= 1
        job.attempt = nil
        if job.isWanted {
            counters.count(outcome)
            let took = NIODeadline.now() - began
            batch.add(
                ProbeReport(
                    node: job.key.node, check: job.key.check, outcome: outcome, at: .now,
                    tookMicroseconds: took.nanoseconds / 1_000), at: PlainBench.clock())
            sendBatch(at: outcome.result == .passed ? .now() + .nanoseconds(ReportBatch.patience) : .now())
            let interval = job.key.check.intervalMilliseconds * 1_000
            // From when it was due, so that the pace is kept; what was missed is not made up for, and not asked at once.
            job.due = job.due + .microseconds(interval + .random(in: -interval / 20...interval / 20))
            if job.due < .now() { job.due = .now() + .microseconds(.random(in: 0..<interval)) }
            schedule(job)
        }
        // Not from here: this may be deep in the end of a channel.
        if !waiting.isEmpty { loop.execute { self.startWaiting() } }
    }

    private func startWaiting() {
        while running < limit, let job = waiting.popFirst() {
            if job.isWanted { start(job) }
        }
    }

    /// What passed waits for others; what did not takes those that wait along.
    private func sendBatch(at time: NIODeadline) {
        if let sending {
            guard time < sending else { return }
        }
        sending = time
        loop.scheduleTask(deadline: time) { [self] in
            guard sending == time else { return }
            sending = nil
            report(batch.take())
        }
    }

    private func begin(_ check: Check, _ attempt: Attempt) {
        var opening = StreamOpening(attempt: attempt, check: check)
        do {
            switch check.probe {
            case .http(let probe):
                try ask(probe, HTTPProbing.start(probe, target: check.target), opening)
            case .certificate(let probe):
                opening.tls = (try contexts.context(probe.tls), name(probe.host), probe.tls.verifies)
                opening.connect(to: probe.port) {
                    try $0.pipeline.syncOperations.addHandler(CertificateProbing(probe, attempt))
                }
            case .dns(let probe): DNSProbing.start(probe, check, attempt)
            case .report: attempt.finish(.unasked("the node reports by itself"))
            case .tcp, .icmp: attempt.finish(.unasked("this is another's to ask"))
            }
        } catch {
            attempt.finish(.unasked("the trusted certificates cannot be read: \("\(error)".prefix(160))"))
        }
    }

    /// Sends a request to the check's target, whatever the host, and follows where it is redirected.
    private func ask(_ probe: HTTPProbe, _ journey: HTTPJourney, _ opening: StreamOpening) throws {
        var opening = opening
        let (attempt, target) = (opening.attempt, journey.target)
        let rules = probe.tls ?? TLSRules()
        opening.tls =
            target.isSecure ? (try contexts.context(rules), name(target.host), rules.verifies) : nil
        let next = opening
        opening.connect(to: target.port) { channel in
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(
                HTTPProbing(probe, journey, attempt) { journey in
                    guard !attempt.isOver else { return }
                    do { try self.ask(probe, journey, next) } catch { attempt.fail(error) }
                })
        }
    }

    /// TLS asks for names only, never for addresses (RFC 6066, section 3).
    private func name(_ host: String?) -> String? {
        host.flatMap { IPAddress($0) == nil && !$0.hasPrefix("[") ? $0 : nil }
    }
}
