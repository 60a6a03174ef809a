import Health
import IPNetworks
import LinuxSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Probes over TLS, by DNS, and of pages that are read: what needs a channel of NIO.
///
/// `@unchecked Sendable`: counters are behind a lock, and all else is touched on the event loop only.
final class ChannelTransport: ProbeTransport, @unchecked Sendable {
    private let loop: any EventLoop
    private let counted = Mutex(ProbeCounters())

    // Of the event loop.
    var scheduler: ProbeScheduler
    let report: ([ProbeReport]) -> Void
    /// The probes under way.
    private var probes: [ProbeID: ChannelProbe] = [:]
    private var contexts = TLSContexts()
    /// When the scheduler is asked again, at the latest.
    private var alarm: (time: Int64, task: Scheduled<Void>)?
    /// Whether it is asked as soon as the event loop comes to it.
    private var isAwake = false

    init(on loop: any EventLoop, limit: Int, _ report: @escaping @Sendable ([ProbeReport]) -> Void) {
        self.loop = loop
        self.report = report
        scheduler = ProbeScheduler(limit: limit)
    }

    var counters: ProbeCounters { counted.withLock { $0 } }

    /// Probes these checks from now on, and no others. Any thread.
    func use(_ plan: Set<ProbeScheduler.Key>) { loop.execute { self.follow(plan) } }

    /// Ends all probes; nothing is reported afterwards.
    func close() async {
        _ = try? await loop.submit {
            self.follow([])
            self.alarm?.task.cancel()
        }.get()
    }

    // MARK: - On the event loop

    private func follow(_ plan: Set<ProbeScheduler.Key>) {
        // The files of certificates may have changed.
        contexts = TLSContexts()
        scheduler.use(plan, at: MonotonicClock.nanoseconds)
        ask()
    }

    private func ask() {
        advance(to: MonotonicClock.nanoseconds)
        counted.withLock { $0 = scheduler.counters }
        guard let time = scheduler.deadline, time < alarm?.time ?? .max else { return }
        alarm?.task.cancel()
        let task = loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(time))) { [self] in
            alarm = nil
            ask()
        }
        alarm = (time, task)
    }

    func begin(_ id: ProbeID, _ check: Check) {
        let probe = ChannelProbe(check, on: loop) { [self] outcome in
            probes[id] = nil
            finish(id, outcome)
            wake()
        }
        probes[id] = probe
        start(probe)
    }

    func cancel(_ id: ProbeID) { probes.removeValue(forKey: id)?.cancel() }

    /// Not at once: the caller may be deep in the end of a channel.
    private func wake() {
        guard !isAwake else { return }
        isAwake = true
        loop.execute { [self] in
            isAwake = false
            ask()
        }
    }

    private func start(_ probe: ChannelProbe) {
        var opening = StreamOpening(probe: probe)
        do {
            switch probe.check.probe {
            case .http(let http): try request(http, HTTPRequestHandler.chain(http, target: probe.check.target), opening)
            case .certificate(let certificate):
                opening.tls = (
                    try contexts.context(certificate.tls), Self.name(certificate.host), certificate.tls.verifies
                )
                opening.connect(to: certificate.port) {
                    try $0.pipeline.syncOperations.addHandler(CertificateHandler(certificate, probe))
                }
            case .dns(let dns): DNSQueryHandler.start(dns, probe)
            case .report: probe.finish(.unasked("the node reports by itself"))
            case .tcp, .icmp: probe.finish(.unasked("this check needs no channel"))
            }
        } catch {
            probe.finish(.unasked("the trusted certificates cannot be read: \("\(error)".prefix(160))"))
        }
    }

    /// Sends a request to the check's target, whatever the host, and follows redirects.
    private func request(_ http: HTTPProbe, _ chain: RedirectChain, _ opening: StreamOpening) throws {
        var opening = opening
        let (probe, target) = (opening.probe, chain.target)
        let rules = http.tls ?? TLSRules()
        opening.tls = target.isSecure ? (try contexts.context(rules), Self.name(target.host), rules.verifies) : nil
        let next = opening
        opening.connect(to: target.port) { channel in
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(
                HTTPRequestHandler(http, chain, probe) { chain in
                    guard !probe.isOver else { return }
                    do { try self.request(http, chain, next) } catch { probe.fail(error) }
                })
        }
    }

    /// TLS asks for names only, never for addresses (RFC 6066, section 3).
    private static func name(_ host: String?) -> String? {
        host.flatMap { IPAddress($0) == nil && !$0.hasPrefix("[") ? $0 : nil }
    }
}
