import ConfigurationModel
import ControlPlane
import DNSServer
import DNSWire
import DaemonServices
import Health
import HealthChecks
import HostLookup
import IPNetworks
import Journal
import Logging
import Management
import ManagementServer
import ModelCompiler
import Resolution
import StateStore

/// All parts of a daemon, created but not running.
struct Parts {
    let life: LifeCycle
    let fastPath: FastPathRunner
    let transports: Transports
    let reports: ReportTransport?
    let metrics: MetricsTransport?
    let store: Journal
    let events: EventStream
    let state: StateCell
    let hooks: TransitionHooks
    let addresses: ListenAddresses
    let source: FileSource
    let publisher: Publisher
    let changes: ChangeBook
    let nodes: NodeController
    let handover: HandoverController
    let health: HealthService
    let roundTrips: RoundTripLearner
    let aliases: AliasKeeper
    let operations: Operations.Parts

    init(
        _ loading: Loading, life: LifeCycle, fastPath: FastPathRunner, lease: TakeoverLease?, handler: Operations,
        control: ControlServer, handoverLimit: Duration, logger: Logger
    ) async throws {
        let (loaded, configuration) = (loading.loaded, loading.loaded.configuration)
        let settings = loading.settings.counting(in: fastPath.rateBuckets)
        let slowPath = SlowPath(ModelResolver(model: loaded.model, words: fastPath.words, settings: settings))
        let transports = try Transports(
            configuration, certificate: loading.certificate, slowPath: slowPath, limits: loading.limits,
            handover: lease != nil)
        let reports = try ReportTransport(
            configuration, handler: handler, limits: loading.limits, handover: lease != nil, logger: logger)
        let metrics = try MetricsTransport(
            configuration, handler: handler, extra: { control.metrics }, limits: loading.limits,
            handover: lease != nil, logger: logger)
        // The predecessor may have changed states while this process was loading. From here on it changes none. What is
        // written from now on (the store and the node words) is shared with it.
        try await lease?.renew()
        let store = try await Journal.open(folder: configuration.state.path) { note in
            logger.log(
                level: note.event == .writable ? .notice : .error, "\(note.event.rawValue)",
                metadata: ["detail": "\(note)"])
        }
        let records = await loading.records.settle(by: loaded, in: store, logger: logger)
        let state = StateCell(DaemonState(served: loading.served(records, settings)))
        let (log, transitions) = (EventLog(logger), TransitionTally())
        let hooks = TransitionHooks(
            hooks: { state.current.served.loaded.configuration.hooks }, logger: logger)
        let events = EventStream(
            after: store.latest, numbers: store.nextNumber,
            to: [{ store.write($0) }, { log.write($0) }, { hooks.take($0) }, { transitions.write($0) }])
        await fastPath.use(events, state)
        let addresses = ListenAddresses(configuration.listenAddresses, events: events, state: state)
        await addresses.look()
        let nodes = NodeController(
            words: fastPath.words, store: store, earlier: await fastPath.earlierStates, life: life, events: events,
            state: state, logger: logger)
        let plan = HealthPlan(configuration)
        await nodes.prepare(loaded.model.steering, plan, generation: await fastPath.idleGeneration)
        await nodes.commit(epoch: loaded.model.epoch)
        let lookup = HostLookup(
            servers: { ServerList(state.current.served.loaded.configuration.lookup) }, tell: { $0.log(to: logger) })
        let health = HealthService.make(nodes, probes: loading.limits.probes, lookup: lookup)
        plan.logProblems(logger)
        health.prober.use(await nodes.use(plan).checks)
        let source = FileSource(path: loading.path, stamp: loading.stamp)
        let publisher = Publisher(
            serving: state.current.served, secret: loading.secret,
            parts: .init(
                life: life, events: events, store: store, source: source, nodes: nodes, fastPath: fastPath,
                slowPath: slowPath, words: fastPath.words, rateBuckets: fastPath.rateBuckets,
                useChecks: { [prober = health.prober] in prober.use($0) },
                reloadCertificates: transports.reloadCertificate, state: state),
            logger: logger)
        changes = ChangeBook(
            publisher: publisher, words: fastPath.words, events: events, numbers: store.nextNumber)
        let handover = HandoverController(
            .init(
                life: life, events: events, publisher: publisher, nodes: nodes, fastPath: fastPath,
                keepAddresses: { keeps in
                    transports.keepAddresses(keeps)
                    reports?.keepAddresses(keeps)
                    metrics?.keepAddresses(keeps)
                }, holdSocket: { ControlSocketHold(configuration.control.path) }),
            limit: handoverLimit, logger: logger)
        let roundTrips = RoundTripLearner(logger: logger)
        aliases = AliasKeeper(publisher: publisher, lookup: lookup, life: life, state: state, logger: logger)
        operations = Operations.Parts(
            life: life, state: state, events: events, store: store, publisher: publisher,
            changes: changes,
            nodes: nodes,
            fastPath: fastPath, slowPath: slowPath, words: fastPath.words, handover: handover,
            prober: health.prober, roundTrips: roundTrips, limits: loading.limits.report,
            transitions: transitions,
            listenerMetrics: { transports.metrics + (reports?.metrics ?? []) + (metrics?.metrics ?? []) })
        self.addresses = addresses
        (self.life, self.fastPath, self.transports) = (life, fastPath, transports)
        (self.reports, self.metrics) = (reports, metrics)
        (self.store, self.events, self.state, self.source) = (store, events, state, source)
        (self.publisher, self.nodes, self.handover) = (publisher, nodes, handover)
        (self.health, self.roundTrips, self.hooks) = (health, roundTrips, hooks)
    }
}

extension ControlSocketHold: HeldSocket {}

extension HostLookup.News {
    fileprivate func log(to logger: Logger) {
        switch self {
        case .silent(let server, let reason):
            logger.warning(
                "lookup server does not answer, it is asked last",
                metadata: ["server": "\(server)", "error": "\(reason)"])
        case .answersAgain(let server):
            logger.notice("lookup server answers again", metadata: ["server": "\(server)"])
        }
    }
}

extension ServerList {
    fileprivate init(_ settings: LookupSettings) {
        self =
            settings.servers.isEmpty
            ? .system : .fixed(settings.servers.map { LookupServer($0.address, port: $0.port) })
    }
}
