import CFastPathABI
import ControlFailures
import DNSWire
import FastPathPlan
import ModelCompiler
import Resolution

/// New tables that include the names changed since the tables in use were filled.
struct Compaction: Sendable {
    /// The use of the overlay above which a compaction starts. The rest of the overlay lasts until the tables are planned.
    static let startUse = 0.3
    /// The use of the overlay above which a round waits for the tables that are being planned. If the overlay were full,
    /// the round would have to plan all tables itself, which takes longer.
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
    /// - Returns: `nil` if other tables were published meanwhile, which contain the names, or if too many names changed.
    func publication(
        for served: Served, _ version: Int, _ log: ChangeLog
    ) async throws(ControlFailure) -> (tables: PlannedTables, changes: StaticChanges?)? {
        guard var tables = await tables.value, version == tablesVersion else { return nil }
        tables.image.speech = TablePlanner.options(served.loaded, served.settings)
        let (loaded, names) = try log.catchUp(id, base, of: base, served.changes, to: served)
        guard !names.isEmpty else { return (tables, nil) }
        let changes = StaticChanges(
            from: base.model, to: loaded.model, names: names, sharing: tables.image.sharingZones,
            limit: TablePlanner.missedLimit)
        return changes.map { (tables, $0) }
    }
}
