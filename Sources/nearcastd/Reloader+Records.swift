import ControlFailures
import DNSWire
import FastPath
import Foundation
import Journal
import Logging
import ManagementTypes
import MapWriter
import ModelLoader
import ServerConfiguration
import Serving

/// Changes of single RRsets while both paths serve.
///
///     requests ──► queue ──► round: editors ──► journal ──► fast path: overlay ──► slow path ──► answers ──► wait for readers
///                (in order)  (all that wait)  (one write)     (one store)        (replace)    (to all)      (both paths)
///
/// Rounds and the ends of reloads take turns. What waits for one round is written, published and waited for together, so that a change
/// costs the less the more there are.
extension Reloader {
    /// Returns when the changes are kept and both paths answer by them.
    func change(_ request: RecordRequest) async throws(ControlFailure) -> RRsetsReceipt {
        let result = await withCheckedContinuation { continuation in
            records.append(.init(request: request, continuation: continuation))
            announceRound()
        }
        return try result.get()
    }

    private func announceRound() {
        guard !records.isAnnounced, !records.isEmpty else { return }
        records.isAnnounced = true
        Task {
            await self.waitForRoom()
            await self.beginTurn()
            await self.makeRound()
            self.endTurn()
        }
    }

    private func makeRound() async {
        let waiting = records.take()
        records.isAnnounced = false
        // A reload that was asked for meanwhile comes first.
        defer { announceRound() }
        do throws(ControlFailure) { try requireFree() } catch {
            for one in waiting { one.continuation.resume(returning: .failure(error)) }
            return
        }
        isSwitching = true
        defer { isSwitching = false }
        var round = RecordRound(loaded, places, time: Date().microseconds)
        var accepted: [(waiting: RecordQueue.Waiting, accepted: RecordRound.Accepted)] = []
        for one in waiting {
            do throws(ControlFailure) { accepted.append((one, try round.add(one.request))) } catch {
                one.continuation.resume(returning: .failure(error))
            }
        }
        guard !accepted.isEmpty else { return }
        var path = ReloadReport.FastPath.none
        do throws(ControlFailure) {
            if !round.isEmpty { path = try await serve(round) }
        } catch {
            for one in accepted { one.waiting.continuation.resume(returning: .failure(error)) }
            return
        }
        let end = ContinuousClock.now
        for (one, accepted) in accepted {
            one.continuation.resume(
                returning: .success(
                    RRsetsReceipt(
                        zone: "\(accepted.zone)", serial: accepted.serial, changed: accepted.changed,
                        epoch: loaded.model.epoch, fastPath: path,
                        tookMilliseconds: (end - one.request.start).seconds * 1e3)))
        }
        if !round.isEmpty, path == .names || path == .none { await retire() }
        await foldWhenDue()
    }

    /// Keeps what a round changed, then lets both paths answer by it.
    private func serve(_ round: RecordRound) async throws(ControlFailure) -> ReloadReport.FastPath {
        if let problem = await parts.journal.keep(round.change) {
            throw ControlFailure(
                .unavailable, "the change cannot be kept, and so is not made: \(problem)",
                remedy: "make room for \(parts.journal.path), or make it writable, and try again")
        }
        let (next, names) = round.finish(kept)
        do throws(ControlFailure) {
            let path = try await publish(next, names)
            loaded = next
            round.enter(into: &kept)
            for (place, sets) in round.later {
                missed?.add(next.zones[place].origin, sets, names[place] ?? [])
                folded?.add(next.zones[place].origin, sets, names[place] ?? [])
            }
            await parts.control.use(next)
            logger.debug(
                "records changed", metadata: ["epoch": "\(next.model.epoch)", "fast_path": "\(path.rawValue)"])
            return path
        } catch {
            // As if it had never been asked for.
            if let problem = await parts.journal.keep(round.undoing(kept)) {
                logger.error(
                    "a change that was refused comes with the next start", metadata: ["why": "\(problem)"])
            }
            throw error
        }
    }

    private func publish(
        _ next: LoadedModel, _ names: [Int: Set<[UInt8]>]
    ) async throws(ControlFailure) -> ReloadReport.FastPath {
        guard let sharing = await parts.fastPath.sharingZones else {
            replaceResolver(next.model)
            return .none
        }
        let changes = StaticChanges(
            from: loaded.model, to: next.model, names: names, sharing: sharing, limit: Self.changeLimit)
        if let changes, await makeInTables(changes) {
            replaceResolver(next.model)
            return .names
        }
        let speech = ProtocolImage(settings, FastPathSwitches(next.configuration.fastPath))
        return try await serve(next.model, settings, HealthPlan(next.configuration)) { () throws(FastPathLimit) in
            try FastPathImage(next.model, next.configuration, secret: secret, speech: speech)
        }.0
    }

    /// Whether the names could be changed in the tables in use.
    private func makeInTables(_ changes: StaticChanges) async -> Bool {
        do { return try await parts.fastPath.change(changes) } catch {
            logger.warning("names cannot be changed in the tables in use", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func replaceResolver(_ model: ServingModel) {
        parts.answering.replace(with: ModelResolver(model: model, words: parts.fastPath.words, settings: settings))
    }

    /// Waits until no packet is answered by what was before.
    private func retire() async {
        do { try await parts.fastPath.retire() } catch {
            logger.warning("what was in the names' place could not be freed", metadata: ["error": "\(error)"])
        }
        await parts.answering.retire()
        // Of use to those who read histories; it takes the time of all nodes.
        if records.isEmpty { await parts.registry.commit(epoch: loaded.model.epoch) }
    }
}

// MARK: - What is kept

extension Reloader {
    /// Lets RRsets of a zone be as the zone's file has them: those of names, or of all where none is given.
    func forget(
        _ zone: DomainName, names: [DomainName], type: RecordType?
    ) async throws(ControlFailure) -> RRsetsReceipt {
        let start = ContinuousClock.now
        let before = running
        let task = Task { () -> Result<RRsetsReceipt, ControlFailure> in
            await before?.value
            do throws(ControlFailure) {
                await self.beginTurn()
                defer { self.endTurn() }
                return .success(try await self.performForgetting(zone, names, type, since: start))
            } catch { return .failure(error) }
        }
        running = Task { _ = await task.value }
        return try await task.value.get()
    }

    private func performForgetting(
        _ zone: DomainName, _ names: [DomainName], _ type: RecordType?, since start: ContinuousClock.Instant
    ) async throws(ControlFailure) -> RRsetsReceipt {
        guard places[zone] != nil || kept[zone] != nil else { throw RecordRound.unknown(zone) }
        var next = kept
        let owners = Set(names.map(\.lowercasedWire))
        let keys = (kept[zone]?.sets.keys.map { $0 } ?? []).filter { key in
            (owners.isEmpty || owners.contains(key.owner)) && (type == nil || type == key.type)
        }
        for key in keys { next[zone]?[key] = nil }
        var path = ReloadReport.FastPath.none
        if let place = places[zone], !keys.isEmpty {
            // Secondaries are to see it.
            next[zone]?.serial = loaded.zones[place].serial &+ 1
            do throws(ControlFailure) { path = try await perform(.command, keeping: next).fastPath } catch {
                await restoreKept()
                throw error
            }
        } else if !keys.isEmpty {
            if next[zone]?.sets.isEmpty == true { next[zone] = nil }
            try await keep(next)
            kept = next
        }
        return RRsetsReceipt(
            zone: "\(zone)", serial: places[zone].map { loaded.zones[$0].serial } ?? 0, changed: keys.count,
            epoch: loaded.model.epoch, fastPath: path,
            tookMilliseconds: (ContinuousClock.now - start).seconds * 1e3)
    }

    /// Takes over what a successor, which is gone, was asked to keep.
    func adoptKept() async {
        let folder = loaded.configuration.state.path
        let before = running
        let task = Task {
            await before?.value
            do {
                let latest = [DomainName: ZoneChanges](try Journal.peekRRsets(folder: folder))
                await self.beginTurn()
                defer { self.endTurn() }
                guard !latest.difference(from: self.kept).isEmpty else { return }
                _ = try await self.perform(.watch, keeping: latest)
            } catch {
                self.logger.error(
                    "changes of records that the successor kept are served from the next start on",
                    metadata: ["why": "\(error)"])
            }
        }
        running = task
        await task.value
    }

    /// What is to be kept from now on, when `next` serves: of what was given, what the files do not say too.
    ///
    /// - Parameter given: what was asked for; `nil`: nothing, all is kept that counts.
    func settle(
        _ given: [DomainName: ZoneChanges]?, _ next: LoadedModel
    ) async throws(ControlFailure) -> [DomainName: ZoneChanges] {
        let settled = (given ?? kept).settled(by: next)
        if given != nil {
            try await keep(settled)
        } else if let problem = await parts.journal.keep(settled.difference(from: kept)) {
            // Kept longer than needed, which changes nothing.
            logger.warning("changes that the files have now are kept on", metadata: ["why": "\(problem)"])
        }
        return settled
    }

    private func keep(_ next: [DomainName: ZoneChanges]) async throws(ControlFailure) {
        guard let problem = await parts.journal.keep(next.difference(from: kept)) else { return }
        throw ControlFailure(
            .unavailable, "that the changes are to be forgotten cannot be kept: \(problem)",
            remedy: "make room for \(parts.journal.path), or make it writable, and try again")
    }

    /// Refuses a model with zones whose files are not served as they are.
    static func requireSound(_ next: LoadedModel) throws(ControlFailure) {
        let problems = next.zones.flatMap { $0.failure?.problems ?? [] }
        guard problems.isEmpty else {
            throw Loading.refusal(
                problems,
                remedy:
                    "all is served and kept as before; correct the file, or forget all that it does not allow by one "
                    + "command, with --name for each name")
        }
    }

    /// Lets the journal keep what serves, where something else was to be kept that could not be served.
    private func restoreKept() async {
        let change = kept.difference(from: [DomainName: ZoneChanges](parts.journal.rrsets))
        guard let problem = await parts.journal.keep(change) else { return }
        logger.error("changes that serve are forgotten at the next start", metadata: ["why": "\(problem)"])
    }
}
