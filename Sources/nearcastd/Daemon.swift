import CFastPathABI
import ConfigurationModel
import ConfigurationYAML
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
///     load ─► (hold the predecessor) ─► bind ─► open the store ─► attach ─► run services
///
/// Everything that can fail is done before the first packet is answered, in an order in which a failure leaves nothing
/// behind: files, control socket, listen sockets, and last the kernel.
struct Daemon {
    let configurationPath: String
    /// Whether it replaces the daemon that answers at the control path, if one does.
    let takesOver: Bool
    /// How long a successor may be silent.
    let handoverLimit: Duration
    let logger: Logger

    func run() async throws {
        EarlySignals.install()
        do { try await serve() } catch is StoppedEarly { logger.info("stopped before the first answer") }
    }

    private func serve() async throws {
        let start = ContinuousClock.now
        var loading = try Loading(path: configurationPath, logger: logger)
        let configuration = loading.loaded.configuration
        let hand = try await Hand.takeIfDue(takesOver, at: configuration.control.path, logger: logger)
        // A predecessor may have changed records while this process loaded; from now on it does not.
        if hand != nil { try loading.loadLatestRecords() }
        let life = LifeCycle()
        let desk = Operations(logger: logger)
        let control = try ControlServer(
            path: configuration.control.path, handler: desk, logger: logger, limits: loading.limits.control,
            handover: hand != nil)
        let image = try FastPathImage(
            loading.loaded.model, configuration, secret: loading.secret,
            speech: ProtocolImage(loading.settings, FastPathSwitches(configuration.fastPath)))
        let fastPath = try FastPathRunner(
            configuration.fastPath, image: image, isTakeover: hand != nil, life: life, logger: logger)
        do {
            let parts = try await Parts(
                loading, life: life, fastPath: fastPath, hand: hand, desk: desk, handoverLimit: handoverLimit,
                logger: logger)
            // The program and its links are as they were until here.
            try await hand?.renew()
            try await fastPath.start(image, configuration.fastPath, epoch: loading.loaded.model.epoch)
            life.change { $0.serve() }
            desk.begin(parts.operations)
            try EarlySignals.check()
            let facts: Logger.Metadata = [
                "listen": "\(parts.transports.description)", "epoch": "\(loading.loaded.model.epoch)",
                "digest": "\(loading.loaded.model.digest.hexadecimal)",
            ]
            // Else the first model would live until the end of this function, however often it is replaced.
            _ = consume loading
            _ = consume image
            LoadingThread.trimMemory()
            do {
                try await run(parts, control, hand, facts, since: start)
            } catch {
                await stop(parts, desk, fastPath)
                throw error
            }
            await stop(parts, desk, fastPath)
        } catch {
            // Before the services run: nothing answers without this process, so everything is taken back.
            if life.phase == .serving { await fastPath.stop() }
            if life.phase == .starting || life.phase == .serving { await fastPath.discard() }
            desk.end()
            throw error
        }
        logger.info("stopped")
    }

    /// Runs the services until a signal, or until one of them fails.
    private func run(
        _ parts: Parts, _ control: ControlServer, _ hand: Hand?, _ facts: Logger.Metadata,
        since start: ContinuousClock.Instant
    ) async throws {
        let services: [any Service] =
            parts.transports.services + (parts.reports?.services ?? [])
            + (hand.map { [Takeover($0, fastPath: parts.fastPath, events: parts.events, logger: logger)] } ?? [])
            + [
                control, parts.health, FastPathWatch(fastPath: parts.fastPath),
                RoundTripService(learner: parts.roundTrips, state: parts.state),
                ReloadSignals(publisher: parts.publisher, life: parts.life, isDue: EarlySignals.takeReload),
                FileWatch(publisher: parts.publisher, source: parts.source, state: parts.state, logger: logger),
            ]
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger))
        // A signal that came before the group's own handlers.
        let late = Task {
            try await Task.sleep(for: .milliseconds(500))
            if EarlySignals.received { await group.triggerGracefulShutdown() }
        }
        defer { late.cancel() }
        let announcing = Task {
            guard await control.isOpened() else { return }
            logger.info(
                "ready", metadata: facts.merging(["seconds": "\((ContinuousClock.now - start).seconds)"]) { $1 })
        }
        defer { announcing.cancel() }
        try await group.run()
    }

    /// After the services have ended.
    private func stop(_ parts: Parts, _ desk: Operations, _ fastPath: FastPathRunner) async {
        if let problem = await parts.store.close() {
            logger.error("the last changes of nodes are lost", metadata: ["error": "\(problem)"])
        }
        // The setting as it was last reloaded. A successor has the program.
        let isDetaching = parts.state.current.served.loaded.configuration.fastPath.onExit == .detach
        if isDetaching, parts.life.current.successor == nil { await fastPath.stop() }
        parts.life.change { $0.finish() }
        await parts.handover.end()
        desk.end()
    }
}
