package import ControlFailures
package import DNSWire
import FastPathPlan
import Foundation
import Logging
import ModelCompiler
import Resolution
import StateStore
import Zones

/// RRsets that change one by one while both paths serve.
///
///     requests ─► queue ─► round: editors ─► store ─► fast path: overlay ─► slow path ─► answers ─► wait for readers
///              (in order) (all that wait)  (one write)    (one store)       (replace)     (to all)    (both paths)
///
/// What waits for one round is written, published and waited for together: the more changes there are, the less each costs.
extension Publisher {
    func changeRecords(_ round: [PendingRecords]) async {
        if let refusal = parts.life.current.publishingRefusal { return Self.fail(round, refusal) }
        await makeRoom()
        var next = RecordRound(served.loaded, served.places, time: Date().microseconds)
        var accepted: [(pending: PendingRecords, change: RecordRound.Accepted)] = []
        for pending in round {
            do throws(ControlFailure) { accepted.append((pending, try next.add(pending.request))) } catch {
                pending.reply.resume(returning: .failure(error))
            }
        }
        guard !accepted.isEmpty else { return }
        var path: PublicationPath?
        do throws(ControlFailure) {
            if !next.isEmpty { path = try await serve(next) }
        } catch { return Self.fail(accepted.map(\.pending), error) }
        answer(accepted, path ?? .none)
        if path != nil { await finishRound() }
        startCompactionWhenDue()
    }

    private static func fail(_ round: [PendingRecords], _ failure: ControlFailure) {
        for pending in round { pending.reply.resume(returning: .failure(failure)) }
    }

    private func answer(
        _ accepted: [(pending: PendingRecords, change: RecordRound.Accepted)], _ path: PublicationPath
    ) {
        let (end, epoch) = (ContinuousClock.now, served.loaded.model.epoch)
        for (pending, change) in accepted {
            pending.reply.resume(
                returning: .success(
                    RecordOutcome(
                        zone: change.zone, serial: change.serial, changed: change.changed, epoch: epoch, path: path,
                        took: end - pending.request.start)))
        }
        parts.events.append(
            accepted.filter { $0.change.changed > 0 }.map { pending, change in
                .recordsChanged(
                    RecordsChange(
                        zone: "\(change.zone)", serial: change.serial, count: change.changed,
                        author: pending.request.author, epoch: epoch))
            })
    }

    /// Keeps what a round changed, then lets both paths answer by it.
    private func serve(_ round: RecordRound) async throws(ControlFailure) -> PublicationPath {
        if let problem = await parts.store.keep(round.change) {
            throw ControlFailure(
                .unavailable, "the change cannot be kept, and so is not made: \(problem)",
                remedy: "make room for \(parts.store.path), or make it writable, and try again")
        }
        let (loaded, names) = round.finish(served.changes)
        var next = served
        next.takeZones(of: loaded)
        round.enter(into: &next.changes)
        do throws(ControlFailure) {
            let path = try await serve(next, names)
            served = next
            for (place, sets) in round.later { log.add(loaded.zones[place].origin, sets, names[place] ?? []) }
            parts.state.update { [next] in $0.served = next }
            return path
        } catch {
            // As if it had never been asked for.
            if let problem = await parts.store.keep(round.undoing(served.changes)) {
                logger.error(
                    "a refused record change cannot be removed from the store and will be served after a restart",
                    metadata: ["error": "\(problem)"])
            }
            throw error
        }
    }

    private func serve(_ next: Served, _ names: [Int: Set<[UInt8]>]) async throws(ControlFailure) -> PublicationPath {
        guard let sharing = await parts.fastPath.sharingZones else {
            paths.replaceSlowPath(next)
            return .none
        }
        let changes = StaticChanges(
            from: served.loaded.model, to: next.loaded.model, names: names, sharing: sharing,
            limit: TablePlanner.changeLimit)
        if let changes, let path = try await paths.change(to: next, by: .names(changes)) { return path }
        let path = try await exchange(next, try await tables(for: next), nil)
        tablesVersion += 1
        return path
    }

    /// Waits until no packet is answered by what was before.
    private func finishRound() async {
        await paths.retire()
        // Of use to those who read histories. It takes the time of all nodes, so not between two rounds.
        if await parts.nodes.isPrepared || !hasRecordsNext {
            await parts.nodes.commit(epoch: served.loaded.model.epoch)
        }
    }
}

// MARK: - What is kept

extension Publisher {
    /// Lets RRsets of a zone be as the zone's file has them: those of names, or all where none is given.
    package func forget(
        _ zone: DomainName, names: [DomainName], type: RecordType?
    ) async throws(ControlFailure) -> RecordOutcome {
        let start = ContinuousClock.now
        let owners = Set(names.map(\.lowercasedWire))
        let outcome = try await keep { served in
            guard let known = served.places[zone].map({ served.loaded.zones[$0] }) ?? nil else {
                guard served.changes[zone] != nil else { return .failure(RecordRequest.unknown(zone)) }
                return .success(Self.forgetting(zone, owners, type, served.changes, serial: nil))
            }
            // Secondaries are to see it.
            return .success(Self.forgetting(zone, owners, type, served.changes, serial: known.serial &+ 1))
        }
        let serial = served.places[zone].map { served.loaded.zones[$0].serial } ?? 0
        return RecordOutcome(
            zone: zone, serial: serial, changed: outcome.count, epoch: served.loaded.model.epoch,
            path: outcome.reload?.path ?? .none, took: .now - start)
    }

    private static func forgetting(
        _ zone: DomainName, _ owners: Set<[UInt8]>, _ type: RecordType?, _ changes: [DomainName: ZoneChanges],
        serial: UInt32?
    ) -> ([DomainName: ZoneChanges], count: Int) {
        var next = changes
        let keys = (changes[zone]?.sets.keys.map { $0 } ?? []).filter { key in
            (owners.isEmpty || owners.contains(key.owner)) && (type == nil || type == key.type)
        }
        guard !keys.isEmpty else { return (changes, 0) }
        for key in keys { next[zone]?[key] = nil }
        if let serial { next[zone]?.serial = serial } else if next[zone]?.sets.isEmpty == true { next[zone] = nil }
        return (next, keys.count)
    }

    /// Publishes with what a change leaves of the record changes.
    func keep(_ change: KeptChange, _ id: ReadJob.ID) async throws(ControlFailure) -> ReadOutcome {
        try parts.life.requirePublishing()
        let (kept, count) = try change(served).get()
        let differing = Set(kept.keys).union(served.changes.keys).filter { kept[$0] != served.changes[$0] }
        guard !differing.isEmpty else { return ReadOutcome(reload: nil, count: count) }
        guard differing.contains(where: { served.places[$0] != nil }) else {
            // None of their zones is served.
            try await keep(kept, insteadOf: served.changes)
            served.changes = kept
            parts.state.update { [served] in $0.served = served }
            return ReadOutcome(reload: nil, count: count)
        }
        let preparation = try await preparation(id, .command, keeping: kept)
        return ReadOutcome(reload: try await publishRevision(preparation), count: count)
    }

    func keep(
        _ next: [DomainName: ZoneChanges], insteadOf earlier: [DomainName: ZoneChanges]
    ) async throws(ControlFailure) {
        guard let problem = await parts.store.keep(next.difference(from: earlier)) else { return }
        throw ControlFailure(
            .unavailable, "the store does not accept that the changes are forgotten: \(problem)",
            remedy: "make room for \(parts.store.path), or make it writable, and try again")
    }

    /// Drops changes that the files have now. Keeping them longer would change nothing.
    func forgetSettled(_ next: [DomainName: ZoneChanges], _ earlier: [DomainName: ZoneChanges]) async {
        guard let problem = await parts.store.keep(next.difference(from: earlier)) else { return }
        logger.warning("cannot drop record changes that the files have now", metadata: ["error": "\(problem)"])
    }

    /// Lets the store keep what serves, where something else was to be kept that could not be served.
    func restoreKept() async {
        let change = served.changes.difference(from: [DomainName: ZoneChanges](parts.store.rrsets))
        guard let problem = await parts.store.keep(change) else { return }
        logger.error(
            "live record changes cannot be kept and will be lost at the next start", metadata: ["error": "\(problem)"])
    }
}
