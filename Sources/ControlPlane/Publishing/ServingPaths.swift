import ControlFailures
import FastPathPlan
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
    /// How the fast path gets to the next model.
    enum Way: Sendable {
        /// A few names change in the tables in use.
        case names(StaticChanges)
        case image(PlannedTables, changing: StaticChanges?)
    }

    let fastPath: any FastPathDriving
    let slowPath: SlowPath
    let nodes: NodeController
    let words: NodeWords
    let logger: Logger

    /// Makes both paths answer from `next`. ``retire()`` comes next.
    ///
    /// - Returns: how the model came to the fast path; `nil`: nothing has changed, since the names do not fit there.
    /// - Throws: `internal` when the kernel refuses; everything is as before then.
    func change(to next: Served, by way: Way) async throws(ControlFailure) -> PublicationPath? {
        switch way {
        case .names(let changes):
            guard await change(changes, to: next.loaded.model.epoch) else { return nil }
            replaceSlowPath(next)
            return .names
        case .image(let tables, let changes): return try await publish(next, tables, changes)
        }
    }

    /// Makes the slow path answer from `next`, where there is no fast path or its answers stay as they are.
    func replaceSlowPath(_ next: Served) {
        slowPath.replace(with: ModelResolver(model: next.loaded.model, words: words, settings: next.settings))
    }

    private func change(_ changes: StaticChanges, to epoch: UInt64) async -> Bool {
        do { return try await fastPath.change(changes, to: epoch) } catch {
            logger.warning("cannot change names in the tables in use", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func publish(
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

    /// Waits until no packet is answered from what was before.
    func retire() async {
        do { try await fastPath.retire() } catch {
            logger.warning("cannot free what was replaced", metadata: ["error": "\(error)"])
        }
        await slowPath.retire()
    }
}
