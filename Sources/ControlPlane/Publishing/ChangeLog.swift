import ControlFailures
import DNSWire
import ModelCompiler
import Resolution
import Zones

/// The record changes since each preparation began. A model that was read or planned meanwhile catches up with them.
struct ChangeLog {
    /// A preparation under way.
    typealias ID = Int

    private var changes: [ID: MissedChanges] = [:]
    private var latest = 0

    mutating func begin() -> ID {
        latest += 1
        changes[latest] = MissedChanges()
        return latest
    }

    mutating func end(_ id: ID) { changes[id] = nil }

    mutating func add(
        _ zone: DomainName, _ sets: [RRsetKey: ZoneChanges.RRset], _ names: Set<[UInt8]>
    ) {
        for id in changes.keys { changes[id]?.add(zone, sets, names) }
    }

    /// A model that was made of `base` with the changes since, numbered as the next, and the names that differ from
    /// `model`, by the indices of their zones.
    ///
    /// - Parameter applied: the record changes that `model` was read with.
    /// - Throws: `invalid` where the files that were read meanwhile do not allow the changes.
    func catchUp(
        _ id: ID, _ model: LoadedModel, of base: LoadedModel, _ applied: [DomainName: ZoneChanges], to served: Served
    ) throws(ControlFailure) -> (LoadedModel, names: [Int: Set<[UInt8]>]) {
        let (next, names) = try (changes[id] ?? MissedChanges()).make(
            in: model, base: base, applied: applied, loaded: served.loaded, places: served.places, kept: served.changes)
        return (next.numbered(served.loaded.model.epoch + 1), names)
    }
}
