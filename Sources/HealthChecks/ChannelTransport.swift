import Health
import IPNetworks
import LinuxSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Runs the probes that need an NIO channel: TLS, DNS, pages whose body is read, and all checks of a host that is looked up
/// first.
///
/// `@unchecked Sendable`: counters are behind a lock, and everything else is touched on the event loop only.
final class ChannelTransport: ProbeTransport, @unchecked Sendable {
    private let loop: any EventLoop
    private let hosts: HostAddresses
    private let counted = Mutex(ProbeCounters())

    // Event loop only:
    var scheduler: ProbeScheduler
    let report: ([ProbeReport]) -> Void
    /// The running probes.
    private var probes: [ProbeID: ChannelProbe] = [:]
    private var contexts = TLSContexts()
    /// When the scheduler is asked again, at the latest.
    private var alarm: (time: Int64, task: Scheduled<Void>)?
    /// Whether a call of the scheduler is already queued on the event loop.
    private var isAwake = false

    init(
        on loop: any EventLoop, limit: Int, hosts: HostAddresses, _ report: @escaping @Sendable ([ProbeReport]) -> Void
    ) {
        self.loop = loop
        self.hosts = hosts
        self.report = report
        scheduler = ProbeScheduler(limit: limit)
    }

    var counters: ProbeCounters { counted.withLock { $0 } }

    /// Probes exactly these checks from now on. May be called on any thread.
    func use(_ plan: Set<ProbeScheduler.Key>) { loop.execute { self.follow(plan) } }

    /// Ends all probes. Nothing is reported afterwards.
    func close() async {
        _ = try? await loop.submit {
            self.follow([])
            self.alarm?.task.cancel()
        }.get()
    }

    // MARK: - On the event loop

    private func follow(_ plan: Set<ProbeScheduler.Key>) {
        // Certificate files may have changed.
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
        // A command finds the host by itself.
        if case .host(let host) = check.target, !check.isCommand {
            probe.lookUp(host, in: hosts) { probe in
                // The deadline that was set before finds that it is void, and sets the next one.
                self.scheduler.restart(id, at: MonotonicClock.nanoseconds, address: probe.target)
                self.start(probe)
            }
        } else {
            start(probe)
        }
    }

    func cancel(_ id: ProbeID) { probes.removeValue(forKey: id)?.cancel() }

    /// Deferred: the caller may be deep in a channel's close.
    private func wake() {
        guard !isAwake else { return }
        isAwake = true
        loop.execute { [self] in
            isAwake = false
            ask()
        }
    }

    private func start(_ probe: ChannelProbe) {
        if case .command(let command) = probe.check.probe {
            let target = probe.check.target
            return probe.run { await CommandRunner(command).outcome(target: target) }
        }
        guard let target = probe.target else { preconditionFailure("the host is looked up first") }
        if let problem = Route.problem(to: target, from: probe.check.source) { return probe.finish(problem) }
        var opening = StreamOpening(probe: probe, target: target)
        do {
            switch probe.check.probe {
            case .http(let http): try request(http, HTTPRequestHandler.chain(http, of: probe.check), opening)
            case .certificate(let certificate):
                opening.tls = try tls(certificate.tls, host: certificate.host)
                opening.connect(to: certificate.port) {
                    try $0.pipeline.syncOperations.addHandler(CertificateHandler(certificate, probe))
                }
            case .dns(let dns): DNSQueryHandler.start(dns, target, probe)
            case .tcp(let tcp):
                opening.tls = try tcp.tls.map { try tls($0, host: tcp.host) }
                opening.connect(to: tcp.port) {
                    try $0.pipeline.syncOperations.addHandler(TCPExchangeHandler(tcp, probe))
                }
            case .grpc(let grpc):
                opening.tls = try grpc.tls.map { try tls($0, host: grpc.host, protocols: ["h2"]) }
                opening.connect(to: grpc.port) { try GRPCHandler.add(grpc, probe, to: $0) }
            case .report: probe.finish(.unasked("the node reports by itself"))
            case .icmp, .command: probe.finish(.unasked("this check needs no channel"))
            }
        } catch {
            probe.finish(.unasked("the trusted certificates cannot be read: \("\(error)".prefix(160))"))
        }
    }

    private func tls(
        _ rules: TLSRules, host: String?, protocols: [String] = []
    ) throws -> (context: NIOSSLContext, host: String?, verifies: Bool) {
        (try contexts.context(rules, protocols: protocols), Self.name(host), rules.verifies)
    }

    /// Sends a request to the check's target, whatever host it names, and follows redirects.
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

    /// SNI carries names only, never addresses (RFC 6066, section 3).
    private static func name(_ host: String?) -> String? {
        host.flatMap { IPAddress($0) == nil && !$0.hasPrefix("[") ? $0 : nil }
    }
}
