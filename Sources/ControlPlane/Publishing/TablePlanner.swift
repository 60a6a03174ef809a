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

    /// Names that one reload changes in the tables in use. For more, new tables are quicker.
    static let changeLimit = 4_096
    /// Names that may change while tables are planned, of those that may in a generation.
    static let missedLimit = Int(NC_OVERLAY_WORDS) * 3 / 4

    /// The tables of a revision, made ahead; `nil` when it needs none, or none can be made ahead.
    func tables(
        ahead revision: LoadedModel, _ difference: ModelDifference, since base: LoadedModel,
        _ settings: ProtocolSettings
    ) async throws(FastPathLimit) -> PlannedTables? {
        guard difference.isAny, let sharing = await fastPath.sharingZones else { return nil }
        let fits = await onOwnThread(stackSize: 8 << 20) {
            difference.isInZonesAlone
                && StaticChanges(from: base.model, to: revision.model, sharing: sharing, limit: Self.changeLimit)
                    != nil
        }
        guard !fits else { return nil }
        return try await tables(of: revision, settings, beside: true)
    }

    /// - Parameter beside: whether they are made next to those in use, so that publishing is quick.
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

    /// Whether the fast path answers with other protocol options than these.
    func hasOtherOptions(_ settings: ProtocolSettings, _ loaded: LoadedModel) async -> Bool {
        await fastPath.image.map { $0.speech != Self.options(loaded, settings) } ?? false
    }

    static func options(_ loaded: LoadedModel, _ settings: ProtocolSettings) -> ProtocolImage {
        ProtocolImage(settings, FastPathSwitches(loaded.configuration.fastPath))
    }
}
