import BPFRuntime
import CFastPathABI
import ControlAPI
import DNSServer
import DNSWire
import FastPath
import Health
import HealthChecks
import IPNetworks
import Journal
import Logging
import MapWriter
import ModelLoader
import ServerConfiguration
import ServiceLifecycle
import Serving
import Steering
import UnixSignals

/// The composition root: loads, binds, attaches, then runs a list of services.
///
/// Everything that can fail is done before the first packet is answered, in an order in which a failure leaves nothing
/// behind: files, control socket, listen sockets, and last the kernel.
struct Daemon {
    let configurationPath: String
    /// Whether it replaces the daemon that answers at the control path, if one does.
    let takesOver: Bool
    /// How long a successor may take.
    let handoverLimit: Duration
    let logger: Logger

    func run() async throws {
        EarlySignals.install()
        do { try await serve() } catch is StoppedEarly { logger.info("stopped before the first answer") }
    }

    private func serve() async throws {
        let start = ContinuousClock.now
        let configurationFile = FileStamp(configurationPath)
        let configuration = try loadConfiguration()
        let limits = try ServingLimits(configuration)
        for warning in limits.warnings { logger.warning("\(warning)") }
        logger.info("loading", metadata: ["configuration": "\(configurationPath)"])
        let kept = try Journal.peek(folder: configuration.state.path)
        var keptRecords = [DomainName: ZoneChanges](try Journal.peekRRsets(folder: configuration.state.path))
        var slots = SlotTable(restoring: kept.mapValues(\.slot), limit: Int(NC_MAX_NODES))
        try checkHost(configuration)
        let certificate = try Transports.loadCertificate(configuration, logger: logger)
        var loaded = try load(configuration, &slots, keptRecords)
        EarlySignals.endLoading()
        for warning in loaded.warnings { logger.warning("\(warning)") }

        let asked = try ProtocolSettings(configuration, logger: logger)
        let control = ControlCenter(loaded: loaded, limits: limits, handoverLimit: handoverLimit, logger: logger)
        let hand = try await holdPredecessor(configuration)
        let isTakeover = hand != nil
        // A predecessor may have changed records while this process loaded; from now on it does not.
        let latest = [DomainName: ZoneChanges](try Journal.peekRRsets(folder: configuration.state.path))
        if isTakeover, !latest.difference(from: keptRecords).isEmpty {
            keptRecords = latest
            loaded = try load(configuration, &slots, keptRecords, earlier: loaded)
            await control.use(loaded)
        }
        let controlServer = try ControlServer(
            path: configuration.control.path, handler: control, logger: logger, limits: limits.control,
            handover: isTakeover)

        let secret = UInt64.random(in: 1...UInt64.max)
        let image = try FastPathImage(
            loaded.model, configuration, secret: secret,
            speech: ProtocolImage(asked, FastPathSwitches(configuration.fastPath)))
        let fastPath = try FastPathRunner(
            configuration.fastPath, image: image, isTakeover: isTakeover, logger: logger)
        let words = fastPath.words
        let settings = asked.counting(in: fastPath.rateBuckets)
        // Once it answers, a failure is no reason to take away what goes on answering without this process.
        var isDetaching = true
        do {
            let answering = Answering(ModelResolver(model: loaded.model, words: words, settings: settings))
            let transports = try Transports(
                configuration, certificate: certificate, answering: answering, limits: limits, handover: isTakeover)
            let reports = try ReportTransport(
                configuration, handler: control, limits: limits, handover: isTakeover, logger: logger)
            // States may have changed while this process loaded; from now on they do not. What is written next is the
            // predecessor's too: the journal, and the words of nodes.
            try await hand?.renew()
            let journal = try await openJournal(configuration)
            keptRecords = await settle(keptRecords, loaded, journal)
            let registry = NodeRegistry(
                words: words, journal: journal, earlier: await fastPath.earlierStates, logger: logger)
            let plan = HealthPlan(configuration)
            await registry.prepare(loaded.model.steering, plan, generation: await fastPath.idleGeneration)
            await registry.commit(epoch: loaded.model.epoch)
            let health = HealthService.make(registry, probes: limits.probes)
            let roundTrips = RoundTripLearner(logger: logger)
            plan.tellFiles(logger)
            health.prober.use(await registry.use(plan).probes)
            // The program and its links are as they were until here.
            try await hand?.renew()
            try await fastPath.start(image, configuration.fastPath)
            let reloader = Reloader(
                path: configurationPath, configurationFile: configurationFile, loaded: loaded,
                kept: keptRecords, slots: slots, secret: secret, settings: settings,
                parts: .init(
                    registry: registry, answering: answering, fastPath: fastPath, control: control,
                    transports: transports, prober: health.prober, journal: journal),
                logger: logger)
            await control.begin(
                ControlCenter.Parts(
                    registry: registry, answering: answering, fastPath: fastPath, words: words, transports: transports,
                    reloader: reloader, prober: health.prober, reports: reports, roundTrips: roundTrips))
            try EarlySignals.check()
            isDetaching = configuration.fastPath.onExit == .detach
            let facts: Logger.Metadata = [
                "listen": "\(transports.description)",
                "epoch": "\(loaded.model.epoch)", "digest": "\(loaded.model.digest.hexadecimal)",
            ]
            // Else the first model would live until the end of this function, however often it is replaced.
            _ = consume loaded
            _ = consume image
            LoadingThread.trimMemory()
            let group = ServiceGroup(
                configuration: .init(
                    services: (transports.services + (reports?.services ?? [])
                        + successorServices(hand, fastPath)).map { .init(service: $0) } + [
                            .init(service: controlServer), .init(service: health),
                            .init(service: FastPathWatch(fastPath: fastPath)),
                            .init(service: RoundTripService(learner: roundTrips, control: control)),
                            .init(service: ReloadSignals(reloader: reloader, control: control)),
                            .init(service: FileWatch(reloader: reloader, logger: logger)),
                        ],
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
            // A signal that came before the group's own handlers.
            let late = Task {
                try await Task.sleep(for: .milliseconds(500))
                if EarlySignals.received { await group.triggerGracefulShutdown() }
            }
            defer { late.cancel() }
            let announcing = Task {
                guard await controlServer.isOpened() else { return }
                logger.info(
                    "ready", metadata: facts.merging(["seconds": "\((ContinuousClock.now - start).seconds)"]) { $1 })
            }
            defer { announcing.cancel() }
            try await group.run()
            if let problem = await journal.close() {
                logger.error("the last changes of nodes' states are lost", metadata: ["why": "\(problem)"])
            }
        } catch {
            await control.end(detaching: isDetaching)
            if isDetaching { await fastPath.discard() }
            throw error
        }
        // The setting as it was last reloaded.
        await control.end(detaching: control.loaded.configuration.fastPath.onExit == .detach)
        logger.info("stopped")
    }

    private func openJournal(_ configuration: ServerConfiguration) async throws -> Journal {
        try await Journal.open(folder: configuration.state.path) { [logger] note in logger.warning("\(note)") }
    }

    private func loadConfiguration() throws -> ServerConfiguration {
        do throws(ConfigurationError) { return try ServerConfiguration.load(path: configurationPath) } catch {
            throw StartupFailure(error.problems.map { "\($0)" })
        }
    }

    private func load(
        _ configuration: ServerConfiguration, _ slots: inout SlotTable, _ changes: [DomainName: ZoneChanges],
        earlier: LoadedModel? = nil
    ) throws -> LoadedModel {
        do throws(LoadProblem) {
            return try ModelLoader.load(configuration, epoch: 1, slots: &slots, earlier: earlier, changes: changes)
        } catch { throw StartupFailure(error.problems) }
    }

    /// What is to be kept on of records that were changed by themselves.
    private func settle(
        _ kept: [DomainName: ZoneChanges], _ loaded: LoadedModel, _ journal: Journal
    ) async -> [DomainName: ZoneChanges] {
        let settled = kept.settled(by: loaded)
        let served = Set(loaded.zones.map(\.origin))
        for (origin, changes) in settled where !served.contains(origin) && !changes.sets.isEmpty {
            logger.warning(
                "changes of records are kept of a zone that is not served: `nearcast record drop` forgets them",
                metadata: ["zone": "\(origin)", "changes": "\(changes.sets.count)"])
        }
        if let problem = await journal.keep(settled.difference(from: kept)) {
            logger.warning("changes that the files have now are kept on", metadata: ["why": "\(problem)"])
        }
        return settled
    }

    /// What only this host can tell of a configuration.
    private func checkHost(_ configuration: ServerConfiguration) throws {
        // With `auto` they may come later.
        guard configuration.fastPath.mode != .off, configuration.fastPath.mode != .auto else { return }
        let missing = configuration.fastPath.interfaces.filter { NetworkInterface($0.name) == nil }
        guard missing.isEmpty else {
            throw StartupFailure(
                missing.map {
                    let message = "there is no interface \($0.name) here: correct fast_path.interfaces (see `ip link`)"
                    return "\(configuration.problem(at: $0.mark, message))"
                })
        }
    }

    /// Makes the daemon that this one is to replace leave everything as it is.
    private func holdPredecessor(_ configuration: ServerConfiguration) async throws -> Hand? {
        let path = configuration.control.path
        guard takesOver, await Takeover.isDue(at: path) else { return nil }
        let hand = try await Hand.take(at: path)
        logger.notice("takes over", metadata: ["predecessor": "\(hand.predecessor)"])
        return hand
    }

    private func successorServices(_ hand: Hand?, _ fastPath: FastPathRunner) -> [any Service] {
        hand.map { [Takeover($0, fastPath: fastPath, logger: logger)] } ?? []
    }
}

extension Duration {
    /// As a number, for people and reports.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
