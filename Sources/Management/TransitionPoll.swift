import ControlFailures
import ControlPlane
import ManagementTypes
import StateStore

/// The long poll of `nearcast watch`: transitions after a number, from memory or from the store, or a wait for the first.
struct TransitionPoll {
    let events: EventStream
    let store: any StateStore
    let life: LifeCycle

    /// Transitions in one response, where they are read from the store.
    private static let atOnce = 1_024

    func transitions(after sequence: UInt64?, waitSeconds: Int) async throws(ControlFailure) -> TransitionsReport {
        guard let sequence else { return TransitionsReport(latest: events.latest, transitions: []) }
        let deadline = ContinuousClock.now + .seconds(waitSeconds)
        // The caller has every transition up to this number.
        var seen = sequence
        while true {
            let latest = events.latest
            let found: [TransitionReport]
            if let recent = events.recent(after: seen) {
                found = recent.compactMap { TransitionReport($0) }
            } else {
                do {
                    found = try await store.changes(after: seen, limit: Self.atOnce).map {
                        TransitionReport($0)
                    }
                } catch { throw ControlFailure(.internal, "the journal cannot be read: \(error)") }
            }
            // The caller asks again with this number, and continues after it.
            if let last = found.last { return TransitionsReport(latest: last.sequence, transitions: found) }
            // Events of other kinds are skipped.
            seen = max(seen, latest)
            guard sequence <= latest, deadline > .now, life.phase != .stopped, !Task.isCancelled,
                !events.isClosed
            else { return TransitionsReport(latest: latest, transitions: []) }
            await events.wait(after: seen, until: deadline)
        }
    }
}
