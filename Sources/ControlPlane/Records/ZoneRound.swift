import ControlFailures
import DNSWire
import ModelCompiler
import StateStore
import Zones

/// One zone with all its changes of a round, and what is to be kept of them.
struct ZoneRound {
    /// As it is served.
    private let served: LoadedZone
    /// What was kept before.
    private let kept: ZoneChanges
    private(set) var batches: ZoneBatches
    /// The RRsets that differ from before, each with its content now.
    private(set) var later: [RRsetKey: ZoneChanges.RRset] = [:]
    /// Those of `later` that leave nothing to keep: they were deleted, and the files do not have them.
    private(set) var forgotten: Set<RRsetKey> = []
    /// RRsets that the files do not have.
    private var additions: Set<RRsetKey>
    /// How many records the zone gains.
    private var gained = 0

    /// - Throws: `conflict` for a signed zone.
    init(_ zone: LoadedZone, _ kept: ZoneChanges) throws(ControlFailure) {
        (served, self.kept, additions) = (zone, kept, zone.additions)
        do throws(ZoneError) { batches = try ZoneBatches(zone.zone) } catch {
            throw ControlFailure(.conflict, "\(error)", remedy: "change the zone's file, then sign it again")
        }
    }

    var origin: DomainName { served.origin }
    var serial: UInt32 { batches.serial }
    /// Whether nothing changes.
    var isEmpty: Bool { later.isEmpty }

    /// What the zone has in place of a change now; `nil`: nothing.
    func content(of change: RRsetChange) -> KeptRecordChange.Content? {
        set(of: change).flatMap { KeptRecordChange.Content(ttl: $0.ttl, records: $0.records) }
    }

    /// Whether what the zone has in place of a change was set by a caller, not by the file or by an alias.
    func isSetByCaller(_ change: RRsetChange) -> Bool {
        let key = RRsetKey(owner: change.owner.lowercasedWire, type: change.type)
        return !forgotten.contains(key) && (later[key] ?? kept[key])?.isOfAlias == false
    }

    private func set(of change: RRsetChange) -> ZoneRRset? {
        batches.rrsets(of: change.owner).first { $0.type == change.type }
    }

    /// Makes changes that were checked, and that differ from what the zone has.
    ///
    /// - Parameters:
    ///   - time: microseconds since 1970.
    ///   - isOfAlias: leaves the serial as it is.
    mutating func apply(
        _ changes: [RRsetChange], time: Int64, author: String?, isOfAlias: Bool
    ) throws(ControlFailure) {
        guard !changes.isEmpty else { return }
        let before = changes.map { set(of: $0)?.records.count }
        do throws(ZoneBatchError) { try batches.apply(changes, raisesSerial: !isOfAlias) } catch {
            // They were checked with others that change nothing.
            throw ControlFailure(.internal, "changes were refused that had been accepted")
        }
        for (change, before) in zip(changes, before) {
            gained += Set(change.records).count - (before ?? 0)
            let key = RRsetKey(owner: change.owner.lowercasedWire, type: change.type)
            // A zone lacks an RRset that is in its files only if a change removed it.
            if before == nil, kept[key] == nil, later[key] == nil { additions.insert(key) }
            if change.records.isEmpty, additions.contains(key) { forgotten.insert(key) } else { forgotten.remove(key) }
            later[key] = ZoneChanges.RRset(
                ttl: change.ttl, records: change.records, time: time, author: author, isOfAlias: isOfAlias)
        }
    }

    /// The zone as it will be served, and the names that changed.
    func finish() -> (version: ChangedZone, names: Set<[UInt8]>) {
        let (zone, names) = batches.finish()
        let version = ChangedZone(
            zone, kept, with: later, forgetting: forgotten, additions: additions.subtracting(forgotten), records: gained
        )
        return (version, names)
    }
}
