import CFastPathABI
import ConfigurationModel
import ControlPlane
import DNSServer
import DNSWire
import DaemonServices
import FastPathDriver
import FastPathPlan
import Foundation
import Journal
import Logging
import Management
import ManagementServer
import ModelCompiler
import Resolution
import ServiceLifecycle
import StateStore
import Steering
import UnixSignals

/// The composition root: loads, binds, attaches, then runs a list of services.
///
///     check ─► load ─► (hold the predecessor) ─► bind ─► open the store ─► attach ─► run services
///
/// Everything that can fail runs before the first packet is answered, and links are changed last. So every failure leaves
/// the host as it was.
struct Daemon {
    let configurationPath: String
    /// Whether this process replaces the daemon that answers at the control path, if there is one.
    let takesOver: Bool
    /// How long a successor may stay silent during a takeover.
    let handoverLimit: Duration
    let logger: Logger

    func run() async throws {
        EarlySignals.install()
        do { try await serve() } catch is StoppedEarly { logger.info("stopped before the first answer") }
    }

    private func serve() async throws {
        let start = ContinuousClock.now
        let startLimit = ServiceManager.current.map { StartLimit($0) }
        defer { startLimit?.end() }
        let settings = try StartSettings(path: configurationPath, logger: logger)
        let configuration = settings.configuration
        if await !TakeoverLease.isDue(takesOver, at: configuration.control.path) {
            try StartChecks.requireFree(configuration)
        }
        var loading = try Loading(settings, logger: logger)
        let lease = try await TakeoverLease.takeIfDue(takesOver, at: configuration.control.path, logger: logger)
        // The predecessor may have changed records while this process was loading. From here on it changes none.
        if lease != nil { try loading.loadLatestRecords() }
        // What follows takes no longer for more data.
        startLimit?.end()
        let life = LifeCycle()
        let operations = Operations(logger: logger)
        let control = try ControlServer(
            path: configuration.control.path, handler: operations, logger: logger, limits: loading.limits.control,
            handover: lease != nil)
        let image = try FastPathImage(
            loading.loaded.model, configuration, secret: loading.secret,
            speech: ProtocolImage(loading.settings, FastPathSwitches(configuration.fastPath)))
        let fastPath = try FastPathRunner(
            configuration.fastPath, image: image, isTakeover: lease != nil, life: life, logger: logger)
        do {
            let parts = try await Parts(
                loading, life: life, fastPath: fastPath, lease: lease, handler: operations,
                control: control, handoverLimit: handoverLimit, logger: logger)
            await parts.aliases.prepare()
            // The program and its links are unchanged up to this point.
            try await lease?.renew()
            try await fastPath.start(image, configuration.fastPath, epoch: loading.loaded.model.epoch)
            life.change { $0.serve() }
            // Before the listeners answer, which are services.
            await parts.aliases.look()
            operations.begin(parts.operations)
            try EarlySignals.check()
            let facts: Logger.Metadata = [
                "listen": "\(parts.transports.description)", "epoch": "\(loading.loaded.model.epoch)",
                "digest": "\(loading.loaded.model.digest.hexadecimal)",
            ]
            // Otherwise the first model would stay in memory until this function returns, even after it was replaced.
            _ = consume loading
            _ = consume image
            LoadingThread.trimMemory()
            do {
                try await run(parts, control, lease, facts, since: start)
            } catch {
                await stop(parts, operations, fastPath)
                throw error
            }
            await stop(parts, operations, fastPath)
        } catch {
            // The services do not run yet, so nothing answers without this process: take everything back.
            if life.phase == .serving { _ = try? await fastPath.stop() }
            if life.phase == .starting || life.phase == .serving { await fastPath.discard() }
            operations.end()
            throw error
        }
        logger.info("stopped")
    }

    /// Runs the services until a signal arrives or one of them fails.
    private func run(
        _ parts: Parts, _ control: ControlServer, _ lease: TakeoverLease?, _ facts: Logger.Metadata,
        since start: ContinuousClock.Instant
    ) async throws {
        let manager = ServiceManager.current.map {
            ServiceManagerReports($0, state: parts.state, nodes: parts.nodes, logger: logger)
        }
        let services: [any Service] =
            parts.transports.services + (parts.reports?.services ?? []) + (parts.metrics?.services ?? [])
            + (lease.map { [Takeover($0, fastPath: parts.fastPath, events: parts.events, logger: logger)] } ?? [])
            + [
                control, parts.health, parts.hooks, parts.aliases,
                HostWatch(fastPath: parts.fastPath, addresses: parts.addresses),
                RoundTripService(learner: parts.roundTrips, state: parts.state),
                ReloadSignals(
                    publisher: parts.publisher, life: parts.life, isDue: EarlySignals.takeReload,
                    report: { manager?.report($0) }),
                FileWatch(
                    publisher: parts.publisher, changes: parts.changes, source: parts.source, state: parts.state,
                    logger: logger),
            ]
            + (manager.map { [$0] } ?? [])
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0) } + [StopSignals.configuration { EarlySignals.received }],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        let announcing = Task {
            guard await control.isOpened() else { return }
            logger.info(
                "ready",
                metadata: facts.merging(["seconds": "\((ContinuousClock.now - start).seconds.inThousandths)"]) { $1 })
            manager?.announceReady()
        }
        defer { announcing.cancel() }
        try await group.run()
    }

    /// Cleans up after the services have ended.
    private func stop(_ parts: Parts, _ operations: Operations, _ fastPath: FastPathRunner) async {
        if let problem = await parts.store.close() {
            logger.error("cannot save node states", metadata: ["error": "\(problem)"])
        }
        // The value from the last reload. After a takeover the program belongs to the successor, and this is refused.
        let isDetaching = parts.state.current.served.loaded.configuration.fastPath.onExit == .detach
        if isDetaching { _ = try? await fastPath.stop() }
        parts.life.change { $0.finish() }
        await parts.handover.end()
        operations.end()
    }
}
