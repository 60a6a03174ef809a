import ControlFailures
import FastPathPlan
import ModelCompiler
import Resolution
import Zones

/// What is served after a revision, and how the fast path gets there. A pure function of what was prepared and of what is
/// served now: records may have changed since the preparation began.
struct RevisionPlan: Sendable {
    /// How the fast path gets to the revision.
    enum Way: Sendable {
        /// It answers by it already.
        case none
        /// A few names change in the tables in use.
        case names(StaticChanges)
        /// The tables that were made ahead, with the names that changed meanwhile.
        case tables(PlannedTables, changing: StaticChanges?)
        /// Tables have to be planned now.
        case newTables
        /// The tables in use with other protocol options.
        case options
    }

    let next: Served
    let way: Way
    /// Whether protocol options or switches of the fast path differ.
    let changesProtocol: Bool
    /// Whether cookies are made or verified otherwise.
    let changesCookies: Bool

    /// What the fast path has now.
    struct FastPathFacts: Sendable {
        /// `nil`: there is no program.
        let sharingZones: Set<[UInt8]>?
        let options: ProtocolImage?
        let tablesVersion: Int
    }

    /// - Parameters:
    ///   - log: record changes since the preparation began.
    ///   - settings: how to answer by the revision's configuration.
    /// - Throws: `invalid` where the files do not allow the record changes since.
    init(
        _ preparation: Preparation, onto served: Served, _ log: ChangeLog, _ settings: ProtocolSettings,
        _ fastPath: FastPathFacts
    ) throws(ControlFailure) {
        let read = preparation.compiled.loaded
        if preparation.keeping != nil { try Self.requireSound(read) }
        let (caughtUp, names) = try log.catchUp(
            preparation.id, read, of: preparation.base, preparation.applied, to: served)
        let isChanged = preparation.difference.isAny
        var next = served
        next.take(isChanged ? caughtUp : caughtUp.serving(served.loaded.model))
        next.slots = preparation.compiled.slots
        next.stamp = preparation.revision.stamp
        next.settings = settings
        next.changes = (preparation.keeping ?? served.changes).settled(by: caughtUp)
        let hasOtherOptions = fastPath.options.map { $0 != TablePlanner.options(next.loaded, settings) } ?? false
        changesCookies = settings.cookies != served.settings.cookies
        changesProtocol = !settings.isSame(as: served.settings) || hasOtherOptions
        way =
            isChanged
            ? Self.way(to: next, preparation, from: served, names, changesProtocol: changesProtocol, fastPath)
            : changesProtocol ? .options : .none
        self.next = next
    }

    private static func way(
        to next: Served, _ preparation: Preparation, from served: Served, _ names: [Int: Set<[UInt8]>],
        changesProtocol: Bool, _ fastPath: FastPathFacts
    ) -> Way {
        switch preparation.way {
        case .tables(var tables):
            tables.image.speech = TablePlanner.options(next.loaded, next.settings)
            guard !names.isEmpty else { return .tables(tables, changing: nil) }
            let changes = StaticChanges(
                from: preparation.compiled.loaded.model, to: next.loaded.model, names: names,
                sharing: tables.image.sharingZones, limit: TablePlanner.missedLimit)
            return changes.map { .tables(tables, changing: $0) } ?? .newTables
        case .names(let changes):
            guard !changesProtocol else { return .newTables }
            // The names found in advance are right only if they were compared with what is served now.
            let isCurrent =
                served.loaded.model.epoch == preparation.base.model.epoch
                && fastPath.tablesVersion == preparation.tablesVersion
            if isCurrent { return .names(changes) }
            guard let sharing = fastPath.sharingZones else { return .newTables }
            return StaticChanges(
                from: served.loaded.model, to: next.loaded.model, sharing: sharing, limit: TablePlanner.changeLimit
            ).map { .names($0) } ?? .newTables
        case .unplanned: return .newTables
        }
    }

    /// Refuses a model with zones whose files are not served as they are.
    private static func requireSound(_ next: LoadedModel) throws(ControlFailure) {
        let problems = next.zones.flatMap { $0.failure?.problems ?? [] }
        guard problems.isEmpty else {
            throw ControlFailure.revision(
                problems,
                remedy: "everything is served and kept as before; correct the file, or forget all changes that it does "
                    + "not allow with one command: give --name for each name")
        }
    }
}
