import ControlFailures
import FastPathPlan
import Health
import Logging
import ModelCompiler
import Resolution
import Steering

/// Both paths that answer, switched from one model to the next as one.
///
///     words, census ──► fast path: fill, flip ──► slow path: replace ──► wait for readers ──► free
///     (node controller)  (may be refused)          (cannot fail)          (both paths)
///
/// Until the flip a failure leaves everything as it was. Between the flip and the replacement, and for packets on their way
/// through either path, answers of both models are given; each answer is of one (law 7).
struct ServingPaths: Sendable {
    let fastPath: any FastPathDriving
    let slowPath: SlowPath
    let nodes: NodeController
    let words: NodeWords
    let planner: TablePlanner
    let logger: Logger

    // Each of these makes both paths answer from `next`, and `retire()` has to follow. It throws `internal` if the kernel
    // refuses, and `invalid` if the model does not fit the fast path. After a failure everything is as before.

    /// Serves a revision.
    ///
    /// - Returns: how it came to the fast path; `nil`: there was nothing to do.
    func publish(_ plan: RevisionPlan) async throws(ControlFailure) -> PublicationPath? {
        switch plan.way {
        case .none: return nil
        case .names(let changes):
            if await change(changes, servedBy: plan.next) { return .names }
        case .tables(let tables, let changes): return try await exchange(plan.next, tables, changes)
        case .options:
            if let tables = await planner.tablesInUse(with: plan.next.settings, plan.next.loaded) {
                return try await exchange(plan.next, tables, nil)
            }
        case .newTables: break
        }
        return try await exchange(plan.next)
    }

    /// Serves changed records.
    ///
    /// - Parameter names: those that changed, by the indices of their zones.
    func publish(
        _ next: Served, changing names: [Int: Set<[UInt8]>], of served: Served
    ) async throws(ControlFailure) -> PublicationPath {
        guard let sharing = await fastPath.sharingZones else {
            replaceSlowPath(next)
            return .none
        }
        let changes = StaticChanges(
            from: served.loaded.model, to: next.loaded.model, names: names, sharing: sharing,
            limit: TablePlanner.changeLimit)
        if let changes, await change(changes, servedBy: next) { return .names }
        return try await exchange(next)
    }

    /// Serves `next` from new tables, planned now.
    private func exchange(_ next: Served) async throws(ControlFailure) -> PublicationPath {
        try await exchange(next, try await newTables(next), nil)
    }

    /// Puts the program back that was taken off, with tables of what is served.
    func attach(_ served: Served) async throws(ControlFailure) {
        let tables = try await newTables(served)
        let model = served.loaded.model
        await nodes.prepare(
            model.steering, HealthPlan(served.loaded.configuration), generation: await fastPath.idleGeneration)
        do { try await fastPath.attach(tables.image, to: model.epoch) } catch {
            await nodes.abandon()
            throw (error as? ControlFailure)
                ?? ControlFailure(
                    .internal, "the program cannot be attached, user space goes on answering: \(error)",
                    remedy: "`nearcast doctor` says what this host lacks")
        }
        await retire()
        await nodes.commit(epoch: model.epoch)
    }

    private func newTables(_ next: Served) async throws(ControlFailure) -> PlannedTables {
        do throws(FastPathLimit) {
            return try await planner.tables(of: next.loaded, next.settings, beside: false)
        } catch { throw ControlFailure.revision(["\(error)"]) }
    }

    /// - Returns: false when the names do not fit the tables in use, or the kernel refuses them. Nothing has changed then.
    private func change(_ changes: StaticChanges, servedBy next: Served) async -> Bool {
        do {
            guard try await fastPath.change(changes, to: next.loaded.model.epoch) else { return false }
        } catch {
            logger.warning(
                "cannot change names in the fast path: its tables are planned again", metadata: ["error": "\(error)"])
            return false
        }
        replaceSlowPath(next)
        return true
    }

    /// Serves `next` from tables that are planned.
    ///
    /// - Parameter changes: names that changed since the tables were planned.
    func exchange(
        _ next: Served, _ tables: PlannedTables, _ changes: StaticChanges?
    ) async throws(ControlFailure) -> PublicationPath {
        let model = next.loaded.model
        let plan = HealthPlan(next.loaded.configuration)
        await nodes.prepare(model.steering, plan, generation: await fastPath.idleGeneration)
        let publication: FastPathPublication
        do {
            publication = try await fastPath.publish(
                tables.image, from: tables.filled, changing: changes, to: model.epoch)
        } catch {
            await nodes.abandon()
            throw ControlFailure(
                .internal, "the fast path refused the new tables, everything is as before: \(error)",
                remedy: "restart nearcastd if this persists")
        }
        replaceSlowPath(next)
        return PublicationPath(publication)
    }

    private func replaceSlowPath(_ next: Served) {
        slowPath.replace(with: ModelResolver(model: next.loaded.model, words: words, settings: next.settings))
    }

    /// Ends a revision: both paths answer from `next`, or nothing had to change for that.
    ///
    /// - Parameter path: how it came to the fast path; `nil`: nothing changed.
    /// - Returns: whether nodes are judged by other rules than before, and their checks.
    func finish(_ next: Served, _ path: PublicationPath?) async -> (changed: Bool, checks: [String: [Check]]) {
        let plan = HealthPlan(next.loaded.configuration)
        if let path {
            await retire()
            // Tables in which only names changed have the nodes of before: words and census are written already.
            if path == .names {
                await nodes.prepare(next.loaded.model.steering, plan, generation: await fastPath.generation)
            }
            await nodes.commit(epoch: next.loaded.model.epoch)
        }
        plan.logProblems(logger)
        return await nodes.use(plan)
    }

    /// Waits until no packet is answered from what was before.
    func retire() async {
        do { try await fastPath.retire() } catch {
            logger.warning("cannot retire replaced fast path tables", metadata: ["error": "\(error)"])
        }
        await slowPath.retire()
    }
}
