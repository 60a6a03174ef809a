import CFastPathABI
import ControlFailures
import DNSWire
import FastPathPlan
import ModelCompiler
import Resolution

/// Tables that are planned with the names that have changed since those in use were filled.
struct Compaction: Sendable {
    /// How much of the room for changed names may be taken before it starts. The rest lasts until the tables are planned.
    static let startUse = 0.3
    /// From here on a round waits for the tables that are being planned. Without room it would plan all tables itself,
    /// which takes longer.
    static let fullUse = 0.9

    let id: ChangeLog.ID
    let base: LoadedModel
    /// Of the publisher when it began.
    let tablesVersion: Int
    /// `nil`: the model does not fit the fast path.
    let tables: Task<PlannedTables?, Never>

    init(_ id: ChangeLog.ID, of served: Served, tablesVersion: Int, _ planner: TablePlanner) {
        (self.id, self.tablesVersion, base) = (id, tablesVersion, served.loaded)
        tables = Task { [base, settings = served.settings] in
            try? await planner.tables(of: base, settings, beside: true)
        }
    }

    /// What to publish for `served`: the tables, and the names that changed since they were planned. Waits for the tables.
    ///
    /// - Parameter version: of the tables in use.
    /// - Returns: `nil` when other tables were published meanwhile, which have the names, or when these are too many.
    func publication(
        for served: Served, _ version: Int, _ log: ChangeLog
    ) async throws(ControlFailure) -> (tables: PlannedTables, changes: StaticChanges?)? {
        guard var tables = await tables.value, version == tablesVersion else { return nil }
        tables.image.speech = TablePlanner.options(served.loaded, served.settings)
        let (loaded, names) = try log.catchUp(id, base, of: base, to: served)
        guard !names.isEmpty else { return (tables, nil) }
        let changes = StaticChanges(
            from: base.model, to: loaded.model, names: names, sharing: tables.image.sharingZones,
            limit: TablePlanner.missedLimit)
        return changes.map { (tables, $0) }
    }
}
