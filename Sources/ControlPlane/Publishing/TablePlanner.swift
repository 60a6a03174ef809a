import CFastPathABI
import ConfigurationModel
import FastPathPlan
import ModelCompiler
import Resolution

/// An image, and its tables next to those in use where they could be made.
struct PlannedTables: Sendable {
    var image: FastPathImage
    let filled: (any FilledTables)?
}

/// Plans the tables of models, on threads of its own, while both paths answer and records change.
struct TablePlanner: Sendable {
    let fastPath: any FastPathDriving
    /// Keys the name table: the same for each model, so that tables can be shared.
    let secret: UInt64

    /// The most names that a reload changes in the tables in use. For more, new tables are quicker.
    static let changeLimit = 4_096
    /// The most names that may change while tables are planned. A generation has room for a third more.
    static let missedLimit = Int(NC_OVERLAY_WORDS) * 3 / 4

    /// How the fast path gets from one model to another, found before the publication.
    enum Way: Sendable {
        /// These names change in the tables in use.
        case names(StaticChanges)
        /// These tables come in their place.
        case tables(PlannedTables)
        /// Nothing was planned, or nothing is needed. If the tables do not fit the fast path, the publication fails and
        /// says why.
        case unplanned
    }

    /// Finds the way to a revision, and plans the tables that it needs.
    func way(
        to revision: LoadedModel, _ difference: ModelDifference, since base: LoadedModel, _ settings: ProtocolSettings
    ) async -> Way {
        guard difference.isAny, let sharing = await fastPath.sharingZones else { return .unplanned }
        if difference.isInZonesAlone {
            let changes = await onOwnThread(stackSize: 8 << 20) {
                StaticChanges(from: base.model, to: revision.model, sharing: sharing, limit: Self.changeLimit)
            }
            if let changes { return .names(changes) }
        }
        guard let tables = try? await tables(of: revision, settings, beside: true) else { return .unplanned }
        return .tables(tables)
    }

    /// - Parameter beside: whether the tables are made next to those in use, so that publishing is quick.
    func tables(
        of loaded: LoadedModel, _ settings: ProtocolSettings, beside: Bool
    ) async throws(FastPathLimit) -> PlannedTables {
        let options = Self.options(loaded, settings)
        let secret = secret
        let planned = await onOwnThread(stackSize: 8 << 20) {
            Result { () throws(FastPathLimit) in
                try FastPathImage(loaded.model, loaded.configuration, secret: secret, speech: options)
            }
        }
        let image = try planned.get()
        return PlannedTables(image: image, filled: beside ? await fastPath.fillBeside(image) : nil)
    }

    /// The tables in use with other protocol options; `nil` where names have changed since they were filled.
    func tablesInUse(with settings: ProtocolSettings, _ loaded: LoadedModel) async -> PlannedTables? {
        guard var image = await fastPath.image, await fastPath.overlayUse == 0 else { return nil }
        image.speech = Self.options(loaded, settings)
        return PlannedTables(image: image, filled: nil)
    }

    static func options(_ loaded: LoadedModel, _ settings: ProtocolSettings) -> ProtocolImage {
        ProtocolImage(settings, FastPathSwitches(loaded.configuration.fastPath))
    }
}
