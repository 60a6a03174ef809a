import CFastPathABI
import ControlFailures
import FastPath
import Foundation
import Logging
import ManagementTypes
import MapWriter
import ModelLoader
import ServerConfiguration
import Serving
import Steering

/// Tables that take long to plan: on a thread of its own, while both paths answer, and records change.
///
///     read files ──► plan tables ──► turn: catch up ──► fill, flip, replace
///      (thread)       (thread)        (what was missed)
extension Reloader {
    /// An image, and its tables beside those in use where they could be made.
    struct PlannedTables: Sendable {
        var image: FastPathImage
        let filled: FastPathMaps.FilledTables?
    }

    /// The tables of a model that is not `base` with a few names changed; `nil` where none are needed for it.
    func planTables(
        of next: LoadedModel, unlike base: LoadedModel
    ) async -> Result<PlannedTables, FastPathLimit>? {
        guard let sharing = await parts.fastPath.sharingZones,
            ReloadReport(.watch, from: base, to: next).changed
        else { return nil }
        let isAlike = next.differsInZonesAlone(from: base)
        return await tables(of: next) {
            isAlike
                && StaticChanges(from: base.model, to: next.model, sharing: sharing, limit: Self.changeLimit) != nil
        }
    }

    /// - Parameter isNeedless: asked on the thread that plans.
    private func tables(
        of next: LoadedModel, unless isNeedless: @escaping @Sendable () -> Bool = { false }
    ) async -> Result<PlannedTables, FastPathLimit>? {
        let speech = ProtocolImage(settings, FastPathSwitches(next.configuration.fastPath))
        let secret = secret
        let planned: Result<FastPathImage, FastPathLimit>? = await withCheckedContinuation { continuation in
            let thread = Thread {
                guard !isNeedless() else { return continuation.resume(returning: nil) }
                continuation.resume(
                    returning: Result { () throws(FastPathLimit) in
                        try FastPathImage(next.model, next.configuration, secret: secret, speech: speech)
                    })
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        switch planned {
        case nil: return nil
        case .failure(let limit)?: return .failure(limit)
        case .success(let image)?:
            return .success(PlannedTables(image: image, filled: await parts.fastPath.fillBeside(image)))
        }
    }

    /// A model that was made of `base` with the changes of records since, numbered as the next.
    func caughtUp(
        _ model: LoadedModel, _ base: LoadedModel, _ missed: MissedChanges?
    ) throws(ControlFailure) -> (LoadedModel, names: [Int: Set<[UInt8]>]) {
        let missed = missed ?? MissedChanges()
        let (next, names) = try missed.make(in: model, base: base, loaded: loaded, places: places, kept: kept)
        return (next.numbered(loaded.model.epoch + 1), names)
    }

    /// Makes both paths answer from `model`, by tables of what it was before `names` changed.
    func serve(
        _ model: ServingModel, _ settings: ProtocolSettings, _ plan: HealthPlan, _ tables: PlannedTables,
        of earlier: ServingModel, _ names: [Int: Set<[UInt8]>]
    ) async throws(ControlFailure) -> (ReloadReport.FastPath, String?) {
        guard !names.isEmpty else {
            return try await serve(model, settings, plan, from: tables.filled) { tables.image }
        }
        let changes = StaticChanges(
            from: earlier, to: model, names: names, sharing: tables.image.sharingZones, limit: Self.missedLimit)
        // What is not followed is planned anew after all.
        guard let changes else { return (.none, nil) }
        return try await serve(model, settings, plan, from: tables.filled, changing: changes) { tables.image }
    }

    /// Names that change while tables are planned, of those that may in a generation.
    private static let missedLimit = Int(NC_OVERLAY_WORDS) * 3 / 4
}

// MARK: - Names that changed in the tables become part of them

extension Reloader {
    /// Has tables planned when many of the names that may change in those in use have: so early that the others last until
    /// they are there. A reload may be under way; whoever comes second leaves what the other made.
    func foldWhenDue() async {
        guard folding == nil, await parts.fastPath.overlayShare > Self.foldShare else { return }
        folding = Task {
            await self.fold()
            self.folding = nil
        }
    }

    /// Waits for room in the tables in use, where it is about to be made: a round that finds none makes all tables itself, which
    /// takes longer.
    func waitForRoom() async {
        guard let folding, await parts.fastPath.overlayShare > Self.fullShare else { return }
        await folding.value
    }

    private static let foldShare = 0.3
    private static let fullShare = 0.9

    private func fold() async {
        let (base, first) = (loaded, lineage)
        folded = MissedChanges()
        defer { folded = nil }
        guard case .success(var tables)? = await self.tables(of: base) else { return }
        await beginTurn()
        defer { endTurn() }
        // A reload has made tables meanwhile.
        guard lineage == first else { return }
        do throws(ControlFailure) {
            try requireFree()
            isSwitching = true
            defer { isSwitching = false }
            let (_, names) = try caughtUp(base, base, folded)
            tables.image.speech = ProtocolImage(settings, FastPathSwitches(base.configuration.fastPath))
            let path = try await serve(
                loaded.model, settings, HealthPlan(loaded.configuration), tables, of: base.model, names)
            logger.debug("changed names are part of the tables", metadata: ["fast_path": "\(path.0.rawValue)"])
        } catch {
            logger.warning("changed names stay beside the tables", metadata: ["why": "\(error.message)"])
        }
    }
}

extension FastPathRunner {
    /// How much of the room for names that change is taken, 0 to 1.
    var overlayShare: Double {
        guard let overlay else { return 0 }
        return max(
            Double(overlay.count) / Double(NC_OVERLAY_WORDS),
            Double(overlay.cells) / Double(NC_OVERLAY_ENTRIES + NC_OVERLAY_ANSWERS))
    }
}

extension LoadedModel {
    /// Whether nothing but the contents of zones may be other than those of `earlier`.
    func differsInZonesAlone(from earlier: LoadedModel) -> Bool {
        surroundingsDigest == earlier.surroundingsDigest && model.steering.lists === earlier.model.steering.lists
            && model.location === earlier.model.location
    }
}
