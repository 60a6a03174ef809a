import CFastPathABI
import ControlFailures
import DNSServer
import DNSWire
import FastPath
import Foundation
import Health
import HealthChecks
import Journal
import Logging
import ManagementTypes
import MapWriter
import ModelLoader
import ServerConfiguration
import Serving
import Steering

/// Takes over changed files while both paths serve.
///
///     load beside ─► words and census ─► fast path: fill, flip ─► slow path: replace ─► wait for readers ─► free
///      (thread)        (registry)         (may be refused)         (cannot fail)         (both paths)
///
/// Until the flip a failure leaves everything as it was. Between the flip and the replacement, and for packets that are
/// on their way through either path, answers of both models are given; each answer is of one (law 7).
actor Reloader {
    /// What a daemon that serves has.
    struct Parts: Sendable {
        let registry: NodeRegistry
        let answering: Answering
        let fastPath: FastPathRunner
        let control: ControlCenter
        let transports: Transports
        let prober: Prober
        let journal: Journal
    }

    private let path: String
    let parts: Parts
    let logger: Logger
    /// Keys the name table, the same in each model so that its table can be shared.
    let secret: UInt64
    /// As they serve now.
    private(set) var settings: ProtocolSettings
    /// The file of the cookies' secrets, where the configuration names one.
    private var secretFile: FileStamp?
    private var slots: SlotTable
    var loaded: LoadedModel
    /// RRsets that were changed by themselves, by the origin of their zone.
    var kept: [DomainName: ZoneChanges]
    /// Places of zones in `loaded`.
    private(set) var places: [DomainName: Int]
    /// Changes that wait for their round.
    var records = RecordQueue()
    /// Changes since another model began to be made; `nil`: none is.
    var missed: MissedChanges?
    /// The same since tables began to be planned that have the names that changed.
    var folded: MissedChanges?
    /// Plans them.
    var folding: Task<Void, Never>?
    /// Raised with each model that takes the place of the one before otherwise than by changes of records.
    var lineage = 0
    /// Whether a round of changes, or the end of a reload, has its turn; and those that wait for theirs.
    private var isTurnTaken = false
    private var turns: [CheckedContinuation<Void, Never>] = []
    /// Of the configuration file that `loaded` was made of.
    private var configurationFile: FileStamp?
    private(set) var history: ReloadsReport
    /// Sound in itself, but what it names could not be loaded by the last reload.
    private var refused: ServerConfiguration?
    private var isClosed = false
    /// A successor takes over.
    private var isHeld = false
    var running: Task<Void, Never>?
    /// Waits for `running`; whoever asks meanwhile shares it, since it has read nothing yet.
    private var queued: Task<Result<ReloadReport, ControlFailure>, Never>?

    init(
        path: String, configurationFile: FileStamp?, loaded: LoadedModel, kept: [DomainName: ZoneChanges],
        slots: SlotTable, secret: UInt64, settings: ProtocolSettings, parts: Parts, logger: Logger
    ) {
        self.path = path
        self.configurationFile = configurationFile
        self.loaded = loaded
        self.kept = kept
        places = loaded.places
        self.slots = slots
        self.secret = secret
        self.settings = settings
        secretFile = Self.secretFile(loaded.configuration)
        self.parts = parts
        self.logger = logger
        history = ReloadsReport(watches: loaded.configuration.watch)
    }

    /// Reloads, after the reload that runs, if one does. Callers that wait together share one.
    ///
    /// - Throws: `invalid` when nothing can be taken over.
    func reload(_ trigger: ReloadReport.Trigger) async throws(ControlFailure) -> ReloadReport {
        if let queued { return try await queued.value.get() }
        let before = running
        let task = Task { () -> Result<ReloadReport, ControlFailure> in
            await before?.value
            self.queued = nil
            // Only when it has returned is nothing left of the model before, or of one that was refused.
            defer { Thread.detachNewThread { LoadingThread.trimMemory() } }
            do throws(ControlFailure) {
                let report = try await self.perform(trigger)
                await self.parts.fastPath.freed()
                return .success(report)
            } catch { return .failure(error) }
        }
        queued = task
        running = Task { _ = await task.value }
        return try await task.value.get()
    }

    /// Lets no further model be served. A reload that is still loading fails now; one that is past that is waited for.
    func close() async {
        isClosed = true
        endLoading(.failure(Self.stopping))
        while isSwitching { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// Lets no further model be served until `release`. A reload that is still loading fails now; one that is past that is
    /// waited for.
    func hold() async {
        isHeld = true
        endLoading(.failure(ControlCenter.isHandingOver))
        while isSwitching { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// The successor is gone: what has changed meanwhile is read.
    func release() {
        isHeld = false
        Task {
            await self.adoptKept()
            _ = try? await self.reload(.watch)
        }
    }

    var isSwitching = false

    /// Who waits for the thread that loads.
    private var waiting: CheckedContinuation<Result<Loading, ControlFailure>, Never>?
    /// Raised with each reload that ended.
    private var revision = 0

    /// - Parameter kept: what is to be kept of changes from now on; `nil`: as it is.
    func perform(
        _ trigger: ReloadReport.Trigger, keeping kept: [DomainName: ZoneChanges]? = nil
    ) async throws(ControlFailure) -> ReloadReport {
        let start = ContinuousClock.now
        logger.debug("reloading", metadata: ["trigger": "\(trigger.rawValue)"])
        defer { revision += 1 }
        do throws(ControlFailure) {
            try requireFree()
            let base = loaded
            missed = MissedChanges()
            defer { missed = nil }
            let loading = try await load(kept ?? self.kept)
            refused = loading.configuration
            let (read, newSlots) = try loading.result.get()
            let loadSeconds = (ContinuousClock.now - start).seconds
            try requireFree()
            if kept != nil { try Self.requireSound(read) }
            let planned = await planTables(of: read, unlike: base)
            // Whoever gives what is to be kept has the turn already.
            if kept == nil { await beginTurn() }
            defer { if kept == nil { endTurn() } }
            try requireFree()
            // From here on whoever holds or closes this waits: nothing may change behind their backs.
            isSwitching = true
            defer { isSwitching = false }
            let (next, names) = try caughtUp(read, base, missed)
            let nextKept = try await settle(kept, next)
            let nextSecretFile = Self.secretFile(next.configuration)
            let nextSettings = try settings(for: next.configuration)
            let speech = ProtocolImage(nextSettings, FastPathSwitches(next.configuration.fastPath))
            var report = ReloadReport(trigger, from: loaded, to: next)
            report.loadSeconds = loadSeconds
            let image = await parts.fastPath.image
            let isOverlaid = await parts.fastPath.overlay != nil
            report.settings = !nextSettings.isSame(as: settings) || image.map { $0.speech != speech } ?? false
            let plan = HealthPlan(next.configuration)
            if case .success(var tables)? = planned, report.changed {
                tables.image.speech = speech
                (report.fastPath, report.fastPathReason) = try await serve(
                    next.model, nextSettings, plan, tables, of: read.model, names)
            } else if let changes = await changes(from: loaded, to: next, report) {
                report.fastPath = await serve(next.model, nextSettings, plan, changing: changes)
            }
            if report.changed, report.fastPath == .none {
                (report.fastPath, report.fastPathReason) = try await serve(next.model, nextSettings, plan) {
                    () throws(FastPathLimit) in
                    try FastPathImage(next.model, next.configuration, secret: secret, speech: speech)
                }
            } else if report.settings {
                let model = loaded.model
                (report.fastPath, report.fastPathReason) = try await serve(model, nextSettings, plan) {
                    () throws(FastPathLimit) in
                    guard var image, !isOverlaid else {
                        return try FastPathImage(model, next.configuration, secret: secret, speech: speech)
                    }
                    image.speech = speech
                    return image
                }
            }
            plan.tellFiles(logger)
            let judged = await parts.registry.use(plan)
            parts.prober.use(judged.probes)
            report.settings = report.settings || judged.changed
            (settings, secretFile) = (nextSettings, nextSecretFile)
            slots = newSlots
            configurationFile = loading.file
            loaded = report.changed ? next : next.serving(loaded.model)
            lineage += 1
            (self.kept, places) = (nextKept, loaded.places)
            refused = nil
            await parts.control.use(loaded)
            do throws(CertificateError) { try parts.transports.reloadCertificate() } catch {
                report.problems.append("\(error)")
            }
            report.tookSeconds = (ContinuousClock.now - start).seconds
            note(report)
            return report
        } catch {
            note(error)
            throw error
        }
    }

    /// Waits until no round of changes is under way, and no end of a reload.
    func beginTurn() async {
        guard isTurnTaken else {
            isTurnTaken = true
            return
        }
        await withCheckedContinuation { turns.append($0) }
    }

    /// Gives the turn on, to who waits the longest.
    func endTurn() {
        if turns.isEmpty { isTurnTaken = false } else { turns.removeFirst().resume() }
    }

    private static let stopping = ControlFailure(.unavailable, "the daemon is stopping")

    func requireFree() throws(ControlFailure) {
        if isClosed { throw Self.stopping }
        if isHeld { throw ControlCenter.isHandingOver }
    }

    /// Reads what has changed, on a thread of its own: where much has it takes seconds, and then gives way to threads that
    /// answer.
    private func load(_ kept: [DomainName: ZoneChanges]) async throws(ControlFailure) -> Loading {
        let (path, earlier, known, slots) = (path, loaded, configurationFile, slots)
        let result = await withCheckedContinuation { continuation in
            waiting = continuation
            let thread = Thread {
                let result = Result { () throws(ControlFailure) in
                    try Loading(path, unless: known, earlier: earlier, slots: slots, changes: kept)
                }
                Task { await self.endLoading(result) }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        return try result.get()
    }

    private func endLoading(_ result: Result<Loading, ControlFailure>) {
        waiting?.resume(returning: result)
        waiting = nil
    }

    static func refusal(_ problems: [String]) -> ControlFailure { Loading.refusal(problems) }

    /// How to speak by a configuration.
    private func settings(for configuration: ServerConfiguration) throws(ControlFailure) -> ProtocolSettings {
        do throws(StartupFailure) {
            return try ProtocolSettings(
                configuration, earlier: (loaded.configuration, settings), buckets: parts.fastPath.rateBuckets,
                logger: logger)
        } catch { throw Self.refusal(error.problems) }
    }

    /// What changes at names, where nothing else does and they are few.
    private func changes(
        from loaded: LoadedModel, to next: LoadedModel, _ report: ReloadReport
    ) async -> StaticChanges? {
        guard report.changed, !report.settings, let sharing = await parts.fastPath.sharingZones,
            next.differsInZonesAlone(from: loaded)
        else { return nil }
        return StaticChanges(
            from: loaded.model, to: next.model, sharing: sharing, limit: Self.changeLimit)
    }

    /// Names that one reload changes in the tables in use: more are quicker with the tables.
    static let changeLimit = 4096

    /// Makes both paths answer from `model`, whose names differ by `changes`. `.none`: nothing is done, since they do not fit.
    private func serve(
        _ model: ServingModel, _ settings: ProtocolSettings, _ plan: HealthPlan, changing changes: StaticChanges
    ) async -> ReloadReport.FastPath {
        do {
            guard try await parts.fastPath.change(changes) else { return .none }
        } catch {
            logger.warning("names cannot be changed in the tables in use", metadata: ["error": "\(error)"])
            return .none
        }
        parts.answering.replace(with: ModelResolver(model: model, words: parts.fastPath.words, settings: settings))
        do { try await parts.fastPath.retire() } catch {
            logger.warning("what was in the names' place could not be freed", metadata: ["error": "\(error)"])
        }
        await parts.answering.retire()
        // The tables of nodes are the same: what is written is there already.
        await parts.registry.prepare(model.steering, plan, generation: await parts.fastPath.generation)
        await parts.registry.commit(epoch: model.epoch)
        return .names
    }

    private static func secretFile(_ configuration: ServerConfiguration) -> FileStamp? {
        configuration.cookies.secretFile.flatMap { FileStamp($0.path) }
    }

    /// Makes both paths answer from `model` and by `settings`, which `makeImage` makes the image of.
    ///
    /// - Parameters:
    ///   - filled: tables of the image that stand beside; `nil`: they are made now.
    ///   - changes: what differs from the image by now; `nil`: nothing.
    func serve(
        _ model: ServingModel, _ settings: ProtocolSettings, _ plan: HealthPlan,
        from filled: FastPathMaps.FilledTables? = nil, changing changes: StaticChanges? = nil,
        _ makeImage: () throws(FastPathLimit) -> FastPathImage
    ) async throws(ControlFailure) -> (ReloadReport.FastPath, String?) {
        let image: FastPathImage
        do throws(FastPathLimit) {
            image = try makeImage()
        } catch { throw Self.refusal(["\(error)"]) }
        let resolver = ModelResolver(model: model, words: parts.fastPath.words, settings: settings)
        await parts.registry.prepare(model.steering, plan, generation: await parts.fastPath.idleGeneration)
        let publication: FastPathRunner.Publication
        do { publication = try await parts.fastPath.publish(image, from: filled, changing: changes) } catch {
            await parts.registry.abandon()
            throw ControlFailure(
                .internal, "the fast path takes no new tables, all is as before: \(error)",
                remedy: "restart nearcastd when it stays so")
        }
        parts.answering.replace(with: resolver)
        do { try await parts.fastPath.retire() } catch {
            logger.warning("the tables before could not be freed", metadata: ["error": "\(error)"])
        }
        await parts.answering.retire()
        await parts.registry.commit(epoch: model.epoch)
        switch publication {
        case .none: return (.none, nil)
        case .generation: return (.tables, nil)
        case .program(let reason): return (.program, reason)
        }
    }
}

// MARK: - What is told of it

extension Reloader {
    private func note(_ report: ReloadReport) {
        if report.changed || report.settings { history.changed += 1 } else { history.unchanged += 1 }
        history.lastIsRefused = false
        history.lastAt = Date()
        history.problems = report.problems
        history.watches = loaded.configuration.watch
        for problem in report.problems { logger.error("\(problem): the version before serves on") }
        if report.changed { for warning in loaded.warnings { logger.warning("\(warning)") } }
        logger.info(
            report.changed || report.settings ? "reloaded" : "reloaded: nothing has changed",
            metadata: [
                "epoch": "\(report.epoch)", "digest": "\(report.digest)", "zones": "\(report.zones.count)",
                "nodes": "\(report.nodes.count)", "tailored": "\(report.tailored.count)",
                "fast_path": "\(report.fastPath.rawValue)", "seconds": "\(report.tookSeconds)",
            ])
    }

    private func note(_ failure: ControlFailure) {
        guard failure.code != .unavailable else { return }
        history.refused += 1
        history.lastIsRefused = true
        history.lastAt = Date()
        history.problems = failure.message.split(separator: "\n").map(String.init)
        for problem in history.problems { logger.error("reload refused: \(problem)") }
    }

    /// What to watch.
    struct Watched: Sendable {
        /// Of the last reload.
        let revision: Int
        /// Files whose change asks for a reload; none when they are not watched.
        let paths: [String]
    }

    /// Files to watch, unless a watcher that knows `revision` knows them.
    func watched(since revision: Int?) -> Watched? {
        guard revision != self.revision else { return nil }
        guard loaded.configuration.watch else { return Watched(revision: self.revision, paths: []) }
        var paths = [path]
        paths += loaded.geo.paths
        for zone in loaded.zones { paths += zone.paths }
        if let secretFile = loaded.configuration.cookies.secretFile { paths.append(secretFile.path) }
        paths += loaded.configuration.policies.flatMap { $0.latency.map(\.path) }
        // What a refused configuration misses may come.
        paths +=
            refused.map { $0.zones.map(\.file) + $0.geo.paths + $0.policies.flatMap { $0.latency.map(\.path) } } ?? []
        return Watched(revision: self.revision, paths: paths)
    }

    /// Whether what serves is of files as they are now. Not asked after a refusal, which would come again.
    var isUpToDate: Bool {
        guard loaded.configuration.watch, history.lastIsRefused != true else { return true }
        return (configurationFile?.isUpToDate ?? true) && (secretFile?.isUpToDate ?? true) && loaded.isUpToDate
    }
}
