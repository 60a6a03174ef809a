import ConfigurationModel
package import ControlFailures
import DNSWire
import FastPathPlan
import Foundation
package import Health
import LinuxSupport
package import Logging
import ModelCompiler
package import Resolution
package import StateStore
package import Steering
import Zones

/// The one owner of what is served. Everything that changes it goes through one queue, one command after the other:
///
///     reload ─────► read, compile, plan tables ─┐
///     compaction ─► plan tables ────────────────┤   (threads of their own; records change meanwhile)
///                                               ▼
///     record changes ──────────────────────► queue ──► store ──► fast path ──► slow path ──► wait for readers
///     attach, handover, stop ──────────────────┘
///
/// A command makes the next ``Served`` and hands it to ``ServingPaths``. It becomes the one in use when both paths answer
/// from it; a command that fails before that has changed nothing.
///
/// The publisher decides the order. Others do the work: ``RevisionReader`` reads, ``RevisionPlan`` computes what a revision
/// changes, ``RecordBatch`` computes the same for record changes, ``RecordStore`` stores them, ``TablePlanner`` plans
/// tables, and ``ReadJobs`` knows which callers wait for which job.
package actor Publisher {
    package struct Parts: Sendable {
        package let life: LifeCycle
        package let events: EventStream
        package let store: any StateStore
        package let source: any ModelSource
        package let nodes: NodeController
        package let fastPath: any FastPathDriving
        package let slowPath: SlowPath
        package let words: NodeWords
        package let rateBuckets: RateBuckets
        /// Hands the checks of each node to the prober.
        package let useChecks: @Sendable ([String: [Check]]) -> Void
        /// Reads the certificates again, and returns what is wrong with them.
        package let reloadCertificates: @Sendable () -> [String]
        package let state: StateCell

        package init(
            life: LifeCycle, events: EventStream, store: any StateStore, source: any ModelSource,
            nodes: NodeController, fastPath: any FastPathDriving, slowPath: SlowPath, words: NodeWords,
            rateBuckets: RateBuckets, useChecks: @escaping @Sendable ([String: [Check]]) -> Void,
            reloadCertificates: @escaping @Sendable () -> [String], state: StateCell
        ) {
            self.life = life
            self.events = events
            self.store = store
            self.source = source
            self.nodes = nodes
            self.fastPath = fastPath
            self.slowPath = slowPath
            self.words = words
            self.rateBuckets = rateBuckets
            self.useChecks = useChecks
            self.reloadCertificates = reloadCertificates
            self.state = state
        }
    }

    private let parts: Parts
    private let logger: Logger
    private let planner: TablePlanner
    private let paths: ServingPaths
    private let reader: RevisionReader
    private let records: RecordStore
    private let recorder: ReloadRecorder
    private var served: Served
    private var log = ChangeLog()
    private var queue = CommandQueue()
    private var isDraining = false
    private var jobs = ReadJobs()
    private var compaction: Compaction?
    /// Raised by every publication, except record changes that fit the tables in use. What was planned for an earlier
    /// version is checked again, or dropped.
    private var tablesVersion = 0

    /// - Parameter secret: keys the name table of the fast path.
    package init(serving served: Served, secret: UInt64, parts: Parts, logger: Logger) {
        self.served = served
        self.parts = parts
        self.logger = logger
        planner = TablePlanner(fastPath: parts.fastPath, secret: secret)
        paths = ServingPaths(
            fastPath: parts.fastPath, slowPath: parts.slowPath, nodes: parts.nodes, words: parts.words,
            planner: planner, logger: logger)
        reader = RevisionReader(source: parts.source, planner: planner, life: parts.life, state: parts.state)
        records = RecordStore(store: parts.store, logger: logger)
        recorder = ReloadRecorder(state: parts.state, events: parts.events)
        parts.state.update { $0.served = served }
    }

    /// What is served now.
    var current: Served { served }
    /// Where revisions come from.
    var source: any ModelSource { parts.source }

    // MARK: - Turns of the process

    /// Returns when no command that changes what is served is queued or running. A reload that is still reading fails at
    /// once. Call it when the life cycle no longer allows changes.
    package func quiesce() async {
        // A reload that has read everything ends by itself: its publication may have begun.
        if let refusal = parts.life.current.publishingRefusal, let reading = jobs.abandon(refusal) {
            finishJob(reading.id, .failure(refusal), reading.trigger)
        }
        await withCheckedContinuation { submit(.barrier($0)) }
    }

    /// The successor lost its turn: reads the record changes that it stored, and what else has changed in the meantime.
    package func resume() async {
        do throws(ControlFailure) {
            _ = try await keep { [records] served in
                records.latest().map { ($0, $0.difference(from: served.changes).sets.count) }
            }
        } catch {
            // The next successor, or the next start, reads them.
            guard error.code != .unavailable else { return }
            logger.error(
                "record changes of the successor cannot be served before the next start",
                metadata: ["error": "\(error)"])
        }
        if served.loaded.configuration.watch == .apply { _ = try? await reload(.watch) }
    }

    /// Puts the program back on the interfaces, if it was taken off. Returns when it answers from what is served.
    ///
    /// - Throws: `unavailable` during a handover or stop, `conflict` if another process has the pins, `internal` if the
    ///   kernel refuses. User space goes on answering then.
    package func attach() async throws(ControlFailure) {
        try await withCheckedContinuation { submit(.attach($0)) }.get()
    }

    private func attachProgram() async -> Result<Void, ControlFailure> {
        do throws(ControlFailure) {
            try parts.life.requirePublishing()
            guard await parts.fastPath.isDetached else { return .success(()) }
            try await paths.attach(served)
            tablesVersion += 1
            return .success(())
        } catch { return .failure(error) }
    }

    // MARK: - The queue

    func submit(_ command: CommandQueue.Command) {
        queue.append(command)
        guard !isDraining else { return }
        isDraining = true
        Task { await self.drain() }
    }

    private func drain() async {
        while let step = queue.next() {
            switch step {
            case .records(let round): await changeRecords(round)
            case .other(.publish(let preparation)): await publish(preparation)
            case .other(.keep(let id)): await publishKept(id)
            case .other(.compact(let id)): if compaction?.id == id { await compact() }
            case .other(.answerEnds(let ends, let reply)): reply.resume(returning: await keep(ends))
            case .other(.attach(let reply)): reply.resume(returning: await attachProgram())
            case .other(.barrier(let reply)): reply.resume()
            case .other(.records): preconditionFailure("record changes come in rounds")
            }
        }
        isDraining = false
    }

    // MARK: - Read jobs

    func startJob(_ kind: ReadJob.Kind, for reply: CheckedContinuation<ReadJob.Outcome, Never>) {
        jobs.add(kind, for: reply)
        startNextJob()
    }

    private func startNextJob() {
        guard let (id, kind) = jobs.start({ log.begin() }) else { return }
        switch kind {
        case .reload(let trigger): Task { await self.prepare(id, trigger, planned: nil) }
        case .apply(let planned): Task { await self.prepare(id, .command, planned: planned) }
        case .keep: submit(.keep(id))
        }
    }

    private func prepare(_ id: ReadJob.ID, _ trigger: ReloadTrigger, planned: PlannedRevision?) async {
        logger.debug("reload started", metadata: ["trigger": "\(trigger.rawValue)"])
        do throws(ControlFailure) {
            let preparation = try await reader.read(
                id, trigger, since: served, tablesVersion: tablesVersion, keeping: nil,
                isUnderWay: { await self.isUnderWay(id) })
            if let planned { try await planned.require(preparation) }
            if jobs.markRead(id) { submit(.publish(preparation)) }
        } catch { finishJob(id, .failure(error), trigger) }
    }

    private func isUnderWay(_ id: ReadJob.ID) -> Bool { jobs.kind(of: id) != nil }

    private func publish(_ preparation: Preparation) async {
        let (id, trigger) = (preparation.id, preparation.trigger)
        do throws(ControlFailure) {
            let outcome = try await publishRevision(preparation)
            // The queue does not wait for this: freeing large tables takes long.
            Task {
                await self.parts.fastPath.freed()
                self.finishJob(id, .success(ReadOutcome(reload: outcome)), trigger)
            }
        } catch { finishJob(id, .failure(error), trigger) }
    }

    private func publishKept(_ id: ReadJob.ID) async {
        guard case .keep(let change)? = jobs.kind(of: id) else { return }
        do throws(ControlFailure) { finishJob(id, .success(try await keep(change, id)), .command) } catch {
            finishJob(id, .failure(error), .command)
        }
    }

    private func finishJob(_ id: ReadJob.ID, _ outcome: ReadJob.Outcome, _ trigger: ReloadTrigger) {
        log.end(id)
        guard let ended = jobs.finish(id) else { return }
        switch outcome {
        case .success(let read):
            if let reload = read.reload { recorder.record(reload, geo: served.loaded.geo.summary) }
        // A plan that is stale says nothing about the files.
        case .failure(let failure) where failure.code == .conflict: parts.state.update { $0.refused = nil }
        case .failure(let failure): recorder.record(failure, trigger)
        }
        ended.answer(outcome)
        // When the callers have returned, nothing refers to the earlier model any more, or to one that was refused.
        // Without a free thread the memory is given back after the next job.
        try? startThread(named: "trim memory") { LoadingThread.trimMemory() }
        startNextJob()
    }

    // MARK: - Revisions

    /// Serves a revision with the record changes since it was read.
    private func publishRevision(_ preparation: Preparation) async throws(ControlFailure) -> ReloadOutcome {
        try parts.life.requirePublishing()
        let fastPath = RevisionPlan.FastPathFacts(
            sharingZones: await parts.fastPath.sharingZones, options: await parts.fastPath.image?.speech,
            tablesVersion: tablesVersion)
        let settings = try served.settings(
            for: preparation.compiled.loaded.configuration, buckets: parts.rateBuckets, logger: logger)
        let plan = try RevisionPlan(preparation, onto: served, log, settings, fastPath)
        let (next, isKeeping) = (plan.next, preparation.keeping != nil)
        // What an operator changes is on disk before a packet sees it.
        if isKeeping { try await records.replace(served.changes, by: next.changes) }
        let path: PublicationPath?
        do throws(ControlFailure) { path = try await paths.publish(plan) } catch {
            if isKeeping { await records.restore(served.changes) }
            throw error
        }
        let judged = await paths.finish(next, path)
        if path != nil { tablesVersion += 1 }
        parts.useChecks(judged.checks)
        if !isKeeping { await records.dropSettled(served.changes, leaving: next.changes) }
        serve(next)
        parts.state.update { $0.refused = nil }
        return ReloadOutcome(
            trigger: preparation.trigger, epoch: next.loaded.model.epoch, digest: next.loaded.model.digest,
            difference: preparation.difference,
            configuration: plan.changesCookies
                ? preparation.configuration.withOtherCookies() : preparation.configuration,
            path: path ?? .none, changesOptions: plan.changesProtocol || judged.changed,
            problems: next.loaded.problems + parts.reloadCertificates(),
            warnings: next.loaded.currentWarnings,
            loadSeconds: preparation.loadSeconds, tookSeconds: (ContinuousClock.now - preparation.start).seconds)
    }

    private func serve(_ next: Served) {
        served = next
        parts.state.update { $0.served = next }
    }

    /// Stores and publishes the record changes that `change` returns.
    private func keep(_ change: KeptChange, _ id: ReadJob.ID) async throws(ControlFailure) -> ReadOutcome {
        try parts.life.requirePublishing()
        let (kept, count) = try change(served).get()
        let differing = Set(kept.keys).union(served.changes.keys).filter { kept[$0] != served.changes[$0] }
        guard !differing.isEmpty else { return ReadOutcome(reload: nil, count: count) }
        guard differing.contains(where: { served.places[$0] != nil }) else {
            // None of their zones is served.
            try await records.replace(served.changes, by: kept)
            var next = served
            next.changes = kept
            serve(next)
            return ReadOutcome(reload: nil, count: count)
        }
        let preparation = try await reader.read(
            id, .command, since: served, tablesVersion: tablesVersion, keeping: kept,
            isUnderWay: { await self.isUnderWay(id) })
        return ReadOutcome(reload: try await publishRevision(preparation), count: count)
    }

    private func keep(_ ends: AliasAnswerEnds) async -> Result<Void, ControlFailure> {
        do throws(ControlFailure) {
            try parts.life.requirePublishing()
            var next = served
            let (changes, stored) = ends.entered(in: served.changes)
            try await records.keep(stored)
            next.changes = changes
            serve(next)
            return .success(())
        } catch { return .failure(error) }
    }

    // MARK: - Records

    /// RRsets that change one by one while both paths serve.
    ///
    ///     requests ─► queue ─► round: editors ─► store ─► fast path: overlay ─► slow path ─► answers ─► wait for readers
    ///              (in order) (all that wait)  (one write)    (one store)       (replace)     (to all)    (both paths)
    ///
    /// All requests of a round are written, published and waited for together. So the more changes there are, the less
    /// each one costs.
    private func changeRecords(_ requests: [PendingRecords]) async {
        if let refusal = parts.life.current.publishingRefusal {
            for pending in requests { pending.reply.resume(returning: .failure(refusal)) }
            return
        }
        await makeRoom()
        let batch = RecordBatch(
            requests, changing: served, time: Date().microseconds, numbers: { [records] in records.nextNumber() })
        guard !batch.isEmpty else { return }
        var path: PublicationPath?
        do throws(ControlFailure) {
            if !batch.round.isEmpty { path = try await serve(batch.round) }
        } catch { return batch.fail(error) }
        let epoch = served.loaded.model.epoch
        batch.answer(epoch: epoch, path ?? .none)
        parts.events.append(batch.events(epoch: epoch))
        if path != nil {
            await paths.retire()
            // Histories show the epoch. To commit takes the time of all nodes, so it is not done between two rounds.
            if await parts.nodes.isPrepared || !queue.hasRecordsNext { await parts.nodes.commit(epoch: epoch) }
        }
        startCompactionWhenDue()
    }

    /// Stores what a round changed, then makes both paths answer from it.
    private func serve(_ round: RecordRound) async throws(ControlFailure) -> PublicationPath {
        try await records.keep(round.change)
        let (next, names) = served.changed(by: round)
        let path: PublicationPath
        do throws(ControlFailure) { path = try await paths.publish(next, changing: names, of: served) } catch {
            await records.undo(round.undoing(served.changes))
            throw error
        }
        if path.exchangesTables { tablesVersion += 1 }
        serve(next)
        for (place, sets) in round.later { log.add(next.loaded.zones[place].origin, sets, names[place] ?? []) }
        return path
    }

    // MARK: - Compaction: names that changed in the tables become part of them

    private func startCompactionWhenDue() {
        guard compaction == nil else { return }
        Task {
            guard await parts.fastPath.overlayUse > Compaction.startUse, compaction == nil else { return }
            let started = Compaction(log.begin(), of: served, tablesVersion: tablesVersion, planner)
            compaction = started
            _ = await started.tables.value
            submit(.compact(started.id))
        }
    }

    /// If a compaction is under way and the overlay is almost full, waits for the compaction.
    private func makeRoom() async {
        guard compaction != nil, await parts.fastPath.overlayUse > Compaction.fullUse else { return }
        await compact()
    }

    /// Publishes the tables of the compaction under way.
    private func compact() async {
        guard let compaction else { return }
        defer {
            log.end(compaction.id)
            self.compaction = nil
        }
        guard parts.life.current.publishingRefusal == nil else { return }
        do throws(ControlFailure) {
            guard let (tables, changes) = try await compaction.publication(for: served, tablesVersion, log)
            else { return }
            _ = try await paths.exchange(served, tables, changes)
            await paths.retire()
            await parts.nodes.commit(epoch: served.loaded.model.epoch)
            tablesVersion += 1
            parts.events.append(.compacted(epoch: served.loaded.model.epoch))
        } catch {
            logger.warning("compaction of changed names failed", metadata: ["error": "\(error.message)"])
        }
    }
}
