import ControlFailures
import DNSWire
import Logging
import ModelCompiler
import StateStore
import Zones

/// Record changes in the store. They are written before a packet sees them, and taken back if they cannot be served.
struct RecordStore: Sendable {
    typealias Changes = [DomainName: ZoneChanges]

    let store: any StateStore
    let logger: Logger

    /// The number of the next change.
    func nextNumber() -> UInt64 { store.nextNumber() }

    /// Writes what a round changed.
    ///
    /// - Throws: `unavailable` when the store cannot be written; it is as before then.
    func keep(_ change: KeptRRsetsChange) async throws(ControlFailure) {
        guard let problem = await store.keep(change) else { return }
        throw ControlFailure(
            .unavailable, "the store cannot be written, so the change is not made: \(problem)",
            remedy: "make room for \(store.path), or make it writable, and try again")
    }

    /// Takes a round back that could not be served.
    func undo(_ inverse: KeptRRsetsChange) async {
        guard let problem = await store.keep(inverse) else { return }
        logger.error(
            "refused record change stays in the store: it will be served after a restart",
            metadata: ["error": "\(problem)"])
    }

    /// Keeps `next` in the place of `earlier`.
    ///
    /// - Throws: `unavailable` when the store cannot be written; it is as before then.
    func replace(_ earlier: Changes, by next: Changes) async throws(ControlFailure) {
        guard let problem = await store.keep(next.difference(from: earlier)) else { return }
        throw ControlFailure(
            .unavailable, "the store cannot be written, so nothing is forgotten: \(problem)",
            remedy: "make room for \(store.path), or make it writable, and try again")
    }

    /// Drops changes that the files contain now. Keeping them longer would change nothing.
    func dropSettled(_ earlier: Changes, leaving next: Changes) async {
        guard let problem = await store.keep(next.difference(from: earlier)) else { return }
        logger.warning("cannot drop record changes that the files contain", metadata: ["error": "\(problem)"])
    }

    /// Writes the changes that are served, after others were written that could not be served.
    func restore(_ served: Changes) async {
        guard let problem = await store.keep(served.difference(from: Changes(store.rrsets))) else { return }
        logger.error(
            "record changes that are served cannot be stored: they will be lost at the next start",
            metadata: ["error": "\(problem)"])
    }

    /// What is on the disk now: a successor may have written meanwhile.
    func latest() -> Result<Changes, ControlFailure> {
        do throws(JournalProblem) { return .success(Changes(try store.readRRsets())) } catch {
            return .failure(ControlFailure(.internal, "\(error)"))
        }
    }
}

extension [DomainName: ZoneChanges] {
    /// The changes without some of one zone's.
    ///
    /// - Parameters:
    ///   - serial: of the zone from then on; `nil`: the zone is not served.
    ///   - isForgotten: which ones to take out.
    /// - Returns: what is left, and how many RRsets were taken out.
    func forgetting(
        _ zone: DomainName, serial: UInt32?, where isForgotten: (RRsetKey, ZoneChanges.RRset) -> Bool
    ) -> (changes: Self, count: Int) {
        let keys = self[zone]?.sets.filter { isForgotten($0.key, $0.value) }.map(\.key) ?? []
        guard !keys.isEmpty else { return (self, 0) }
        var next = self
        for key in keys { next[zone]?[key] = nil }
        if let serial { next[zone]?.serial = serial } else if next[zone]?.sets.isEmpty == true { next[zone] = nil }
        return (next, keys.count)
    }
}
