package import ControlFailures
import DNSWire
import Foundation
package import Health
package import Logging
import ModelCompiler
package import Resolution
package import StateStore
package import Steering

/// The one owner of what is served. Everything that changes it goes through one queue, and is done one by one:
///
///     reload ─────► read, compile, plan tables ─┐
///     compaction ─► plan tables ────────────────┤   (threads of their own; records change meanwhile)
///                                               ▼
///     record changes ──────────────────────► queue ──► store ──► fast path ──► slow path ──► wait for readers
///     handover, stop ──────────────────────────┘
///
/// A command makes the next ``Served`` and hands it to ``ServingPaths``. It becomes the one in use when both paths answer
/// from it; a command that fails before that has changed nothing.
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
        /// Gives the checks of each node to what asks them.
        package let useChecks: @Sendable ([String: [Check]]) -> Void
        /// Reads the certificates again, and says what is wrong with them.
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

    let parts: Parts
    let logger: Logger
    let paths: ServingPaths
    let planner: TablePlanner
    var served: Served
    var log = ChangeLog()
    private var queue = CommandQueue()
    private var isDraining = false
    /// The read job under way, and the ones that wait.
    private var job: (id: ReadJob.ID, job: ReadJob)?
    private var waiting: [ReadJob] = []
    var compaction: Compaction?
    /// Raised with every publication but those of record changes: tables planned before are of no use then.
    var tablesVersion = 0

    /// - Parameter secret: keys the name table of the fast path.
    package init(serving served: Served, secret: UInt64, parts: Parts, logger: Logger) {
        self.served = served
        self.parts = parts
        self.logger = logger
        paths = ServingPaths(
            fastPath: parts.fastPath, slowPath: parts.slowPath, nodes: parts.nodes, words: parts.words, logger: logger)
        planner = TablePlanner(fastPath: parts.fastPath, secret: secret)
        parts.state.update { $0.served = served }
    }

    static func refusal(
        _ problems: [String], remedy: String = "everything is served as before; correct it and reload"
    ) -> ControlFailure {
        ControlFailure(.invalid, problems.joined(separator: "\n"), remedy: remedy)
    }

    // MARK: - Requests

    /// Reloads, after the read job that runs, if one does. Callers that wait together share one.
    ///
    /// - Throws: `invalid` when nothing can be taken over; `unavailable` during a handover or stop.
    package func reload(_ trigger: ReloadTrigger) async throws(ControlFailure) -> ReloadOutcome {
        let outcome = await withCheckedContinuation { reply in
            let shared = waiting.firstIndex { if case .reload = $0.kind { true } else { false } }
            if let shared {
                waiting[shared].replies.append(reply)
            } else {
                startJob(ReadJob(kind: .reload(trigger), replies: [reply]))
            }
        }
        guard let reload = try outcome.get().reload else {
            preconditionFailure("a reload ends with a reload's outcome")
        }
        return reload
    }

    /// Keeps other record changes from now on, and serves by that.
    func keep(_ change: @escaping KeptChange) async throws(ControlFailure) -> ReadOutcome {
        try await withCheckedContinuation { reply in
            startJob(ReadJob(kind: .keep(change), replies: [reply]))
        }.get()
    }

    /// Changes RRsets one by one. Returns when the changes are kept, and both paths answer by them.
    package func change(_ request: RecordRequest) async throws(ControlFailure) -> RecordOutcome {
        try await withCheckedContinuation { reply in
            submit(.records(PendingRecords(request: request, reply: reply)))
        }.get()
    }

    /// Returns when nothing is under way that changes what is served. What is still being read fails now. Call it after
    /// the life cycle stopped allowing changes.
    package func quiesce() async {
        if let refusal = parts.life.current.publishingRefusal { abandonReading(refusal) }
        await withCheckedContinuation { submit(.barrier($0)) }
    }

    /// A successor is gone: reads what it kept, and what has changed meanwhile.
    package func resume() async {
        do throws(ControlFailure) {
            _ = try await keep { [store = parts.store] served in
                do throws(JournalProblem) {
                    let latest = [DomainName: ZoneChanges](try store.readRRsets())
                    return .success((latest, latest.difference(from: served.changes).sets.count))
                } catch { return .failure(ControlFailure(.internal, "\(error)")) }
            }
        } catch {
            logger.error(
                "record changes of the successor are not served before the next start",
                metadata: ["error": "\(error)"])
        }
        _ = try? await reload(.watch)
    }

    // MARK: - The queue

    func submit(_ command: CommandQueue.Command) {
        queue.append(command)
        guard !isDraining else { return }
        isDraining = true
        Task { await self.drain() }
    }

    var hasRecordsNext: Bool { queue.hasRecordsNext }

    private func drain() async {
        while let step = queue.next() {
            switch step {
            case .records(let round): await changeRecords(round)
            case .other(.publish(let preparation)): await publish(preparation)
            case .other(.keep(let id)): await publishKept(id)
            case .other(.compact(let id)): if compaction?.id == id { await compact() }
            case .other(.barrier(let reply)): reply.resume()
            case .other(.records): preconditionFailure("record changes come in rounds")
            }
        }
        isDraining = false
    }

    // MARK: - Read jobs

    private func startJob(_ new: ReadJob) {
        waiting.append(new)
        startNextJob()
    }

    private func startNextJob() {
        guard job == nil, !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        let id = log.begin()
        job = (id, next)
        switch next.kind {
        case .reload(let trigger): Task { await self.prepare(id, trigger) }
        case .keep: submit(.keep(id))
        }
    }

    private func prepare(_ id: ReadJob.ID, _ trigger: ReloadTrigger) async {
        logger.debug("reloading", metadata: ["trigger": "\(trigger.rawValue)"])
        do throws(ControlFailure) {
            let preparation = try await preparation(id, trigger, keeping: nil)
            // It may have been abandoned meanwhile.
            guard job?.id == id else { return }
            job?.job.isRead = true
            submit(.publish(preparation))
        } catch { finishJob(id, .failure(error), trigger) }
    }

    private func publish(_ preparation: Preparation) async {
        let (id, trigger) = (preparation.id, preparation.trigger)
        do throws(ControlFailure) {
            let outcome = try await publishRevision(preparation)
            // Not in the queue's time: freeing large tables takes long.
            Task {
                await self.parts.fastPath.freed()
                self.finishJob(id, .success(ReadOutcome(reload: outcome)), trigger)
            }
        } catch { finishJob(id, .failure(error), trigger) }
    }

    private func publishKept(_ id: ReadJob.ID) async {
        guard let job, job.id == id, case .keep(let change) = job.job.kind else { return }
        do throws(ControlFailure) { finishJob(id, .success(try await keep(change, id)), .command) } catch {
            finishJob(id, .failure(error), .command)
        }
    }

    /// Fails what is still being read. Its thread goes on, and what it reads is dropped. What has been read answers for
    /// itself: its publication may have begun.
    private func abandonReading(_ refusal: ControlFailure) {
        for other in waiting { other.answer(.failure(refusal)) }
        waiting = []
        if let job, !job.job.isRead, case .reload(let trigger) = job.job.kind {
            finishJob(job.id, .failure(refusal), trigger)
        }
    }

    private func finishJob(_ id: ReadJob.ID, _ outcome: ReadJob.Outcome, _ trigger: ReloadTrigger) {
        log.end(id)
        guard let job, job.id == id else { return }
        self.job = nil
        note(outcome, trigger)
        job.job.answer(outcome)
        // Only when the callers have returned is nothing left of the model before, or of one that was refused.
        Thread.detachNewThread { LoadingThread.trimMemory() }
        startNextJob()
    }
}
