import CFastPathABI
import ControlFailures
import DNSWire
import FastPathPlan
import Logging
import ModelCompiler
import Resolution

/// Tables that are planned with the names that have changed since those in use were filled.
struct Compaction {
    let id: ChangeLog.ID
    let base: LoadedModel
    /// Of the publisher when it began.
    let tablesVersion: Int
    /// `nil`: the model does not fit the fast path.
    let tables: Task<PlannedTables?, Never>
}

/// Compaction: names that changed in the tables become part of them.
extension Publisher {
    /// So early that the rest of the room lasts until the tables are there.
    private static let startUse = 0.3
    /// A round that finds no room makes all tables itself, which takes longer than to wait for those being planned.
    private static let fullUse = 0.9

    func startCompactionWhenDue() {
        guard compaction == nil else { return }
        Task {
            guard await parts.fastPath.overlayUse > Self.startUse, compaction == nil else { return }
            startCompaction()
        }
    }

    private func startCompaction() {
        let (id, base, settings, planner) = (log.begin(), served.loaded, served.settings, planner)
        let tables = Task { try? await planner.tables(of: base, settings, beside: true) }
        compaction = Compaction(id: id, base: base, tablesVersion: tablesVersion, tables: tables)
        Task {
            _ = await tables.value
            self.submit(.compact(id))
        }
    }

    /// Waits for room in the tables in use, where some is about to be made.
    func makeRoom() async {
        guard compaction != nil, await parts.fastPath.overlayUse > Self.fullUse else { return }
        await compact()
    }

    /// Publishes the tables of the compaction under way.
    func compact() async {
        guard let compaction else { return }
        defer {
            log.end(compaction.id)
            self.compaction = nil
        }
        // Other tables have been published meanwhile, which have the names.
        guard var tables = await compaction.tables.value, tablesVersion == compaction.tablesVersion,
            parts.life.current.publishingRefusal == nil
        else { return }
        do throws(ControlFailure) {
            let (loaded, names) = try log.catchUp(
                compaction.id, compaction.base, of: compaction.base, to: served)
            var changes: StaticChanges?
            if !names.isEmpty {
                changes = StaticChanges(
                    from: compaction.base.model, to: loaded.model, names: names, sharing: tables.image.sharingZones,
                    limit: TablePlanner.missedLimit)
                guard changes != nil else { return }
            }
            tables.image.speech = TablePlanner.options(served.loaded, served.settings)
            _ = try await exchange(served, tables, changes)
            await paths.retire()
            await parts.nodes.commit(epoch: served.loaded.model.epoch)
            tablesVersion += 1
            parts.events.append(.compacted(epoch: served.loaded.model.epoch))
        } catch {
            logger.warning("compaction of changed names failed", metadata: ["error": "\(error.message)"])
        }
    }
}
