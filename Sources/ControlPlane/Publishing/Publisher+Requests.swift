package import ControlFailures
package import DNSWire
import ModelCompiler
import Resolution
import Zones

/// What callers ask of the publisher. Each request waits for its turn.
extension Publisher {
    /// Reloads, after the read job that is under way. Callers that wait together share one reload.
    ///
    /// - Throws: `invalid` when nothing can be taken over; `unavailable` during a handover or stop.
    package func reload(_ trigger: ReloadTrigger) async throws(ControlFailure) -> ReloadOutcome {
        try await reload(by: .reload(trigger))
    }

    /// Reloads, if what is served and what is read are as they were planned.
    ///
    /// - Throws: `conflict` if they are not; otherwise as a reload.
    package func apply(_ planned: PlannedRevision) async throws(ControlFailure) -> ReloadOutcome {
        try await reload(by: .apply(planned))
    }

    private func reload(by kind: ReadJob.Kind) async throws(ControlFailure) -> ReloadOutcome {
        let outcome = await withCheckedContinuation { startJob(kind, for: $0) }
        guard let reload = try outcome.get().reload else {
            preconditionFailure("a reload ends with a reload's outcome")
        }
        return reload
    }

    /// Replaces the stored record changes, and serves the result.
    func keep(_ change: @escaping KeptChange) async throws(ControlFailure) -> ReadOutcome {
        try await withCheckedContinuation { startJob(.keep(change), for: $0) }.get()
    }

    /// Changes RRsets one by one. Returns when the changes are stored and both paths answer from them.
    package func change(_ request: RecordRequest) async throws(ControlFailure) -> RecordOutcome {
        try await withCheckedContinuation { reply in
            submit(.records(PendingRecords(request: request, reply: reply)))
        }.get()
    }

    /// Drops record changes of a zone, so that its file decides again. The addresses of aliases stay.
    ///
    /// - Parameters:
    ///   - names: only changes of these names; empty: of all names.
    ///   - type: only changes of this type; `nil`: of all types.
    package func forget(
        _ zone: DomainName, names: [DomainName], type: RecordType?
    ) async throws(ControlFailure) -> RecordOutcome {
        let start = ContinuousClock.now
        let owners = Set(names.map(\.lowercasedWire))
        let outcome = try await keep { $0.forgetting(zone, owners, type) }
        let serial = current.places[zone].map { current.loaded.zones[$0].serial } ?? 0
        return RecordOutcome(
            zone: zone, serial: serial, changed: outcome.count, number: nil, epoch: current.loaded.model.epoch,
            path: outcome.reload?.path ?? .none, took: .now - start)
    }

    /// Drops what was kept for aliases that are no longer configured.
    ///
    /// - Parameter keys: only these, as far as no caller has set them meanwhile.
    func forgetAliases(_ keys: Set<RRsetKey>, in zone: DomainName) async throws(ControlFailure) {
        _ = try await keep { $0.forgettingAliases(keys, in: zone) }
    }

    /// Stores when the answers end whose addresses aliases have.
    func store(_ ends: AliasAnswerEnds) async throws(ControlFailure) {
        try await withCheckedContinuation { submit(.answerEnds(ends, $0)) }.get()
    }
}
