import CFastPathABI
import ControlAPI
import FastPath
import Foundation
import Logging
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
    /// The image of a model that is not `base` with a few names changed; `nil` where none is needed for it.
    func planTables(
        of next: LoadedModel, unlike base: LoadedModel
    ) async -> Result<FastPathImage, FastPathLimit>? {
        guard let sharing = await parts.fastPath.sharingZones,
            ReloadReport(.watch, from: base, to: next).changed
        else { return nil }
        let isAlike = next.differsInZonesAlone(from: base)
        return await image(of: next) {
            isAlike
                && StaticChanges(from: base.model, to: next.model, sharing: sharing, limit: Self.changeLimit) != nil
        }
    }

    /// - Parameter isNeedless: asked on the thread that plans.
    private func image(
        of next: LoadedModel, unless isNeedless: @escaping @Sendable () -> Bool = { false }
    ) async -> Result<FastPathImage, FastPathLimit>? {
        let speech = ProtocolImage(settings, FastPathSwitches(next.configuration.fastPath))
        let secret = secret
        return await withCheckedContinuation { continuation in
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
    }

    /// A model that was made of `base` with the changes of records since, numbered as the next.
    func caughtUp(
        _ model: LoadedModel, _ base: LoadedModel
    ) throws(ControlFailure) -> (LoadedModel, names: [Int: Set<[UInt8]>]) {
        let missed = missed ?? MissedChanges()
        let (next, names) = try missed.make(in: model, base: base, loaded: loaded, places: places, kept: kept)
        return (next.numbered(loaded.model.epoch + 1), names)
    }

    /// Makes both paths answer from `model`, by an image of what it was before `names` changed.
    func serve(
        _ model: ServingModel, _ settings: ProtocolSettings, _ plan: HealthPlan, _ image: FastPathImage,
        of earlier: ServingModel, _ names: [Int: Set<[UInt8]>]
    ) async throws(ControlFailure) -> (ReloadReport.FastPath, String?) {
        guard !names.isEmpty else { return try await serve(model, settings, plan) { image } }
        let changes = StaticChanges(
            from: earlier, to: model, names: names, sharing: image.sharingZones, limit: Self.missedLimit)
        // What is not followed is planned anew after all.
        guard let changes else { return (.none, nil) }
        return try await serve(model, settings, plan, changing: changes) { image }
    }

    /// Names that change while tables are planned: half of those that may in a generation.
    private static let missedLimit = Int(NC_OVERLAY_WORDS) / 2

    // MARK: - Names that changed in the tables become part of them

    /// Has tables planned when most of the names that may change in those in use have.
    func foldWhenDue() async {
        guard missed == nil, await isOverlayLong else { return }
        missed = MissedChanges()
        let before = running
        running = Task {
            await before?.value
            await self.fold()
        }
    }

    private var isOverlayLong: Bool {
        get async {
            guard let overlay = await parts.fastPath.overlay else { return false }
            return overlay.count > Int(NC_OVERLAY_WORDS) * 3 / 4
                || overlay.cells > Int(NC_OVERLAY_ENTRIES + NC_OVERLAY_ANSWERS) / 2
        }
    }

    private func fold() async {
        let base = loaded
        missed = MissedChanges()
        defer { missed = nil }
        // A reload may have done it meanwhile.
        guard await isOverlayLong else { return }
        guard case .success(var image)? = await image(of: base) else { return }
        await beginTurn()
        defer { endTurn() }
        do throws(ControlFailure) {
            try requireFree()
            isSwitching = true
            defer { isSwitching = false }
            let (next, names) = try caughtUp(base, base)
            image.speech = ProtocolImage(settings, FastPathSwitches(next.configuration.fastPath))
            let path = try await serve(
                loaded.model, settings, HealthPlan(loaded.configuration), image, of: base.model, names)
            logger.debug("changed names are part of the tables", metadata: ["fast_path": "\(path.0.rawValue)"])
        } catch {
            logger.warning("changed names stay beside the tables", metadata: ["why": "\(error.message)"])
        }
    }
}

extension LoadedModel {
    /// Whether nothing but the contents of zones may be other than those of `earlier`.
    func differsInZonesAlone(from earlier: LoadedModel) -> Bool {
        surroundingsDigest == earlier.surroundingsDigest && model.steering.lists === earlier.model.steering.lists
            && model.location === earlier.model.location
    }
}
