import ConfigurationModel
import ControlFailures
import DNSWire
import ModelCompiler
import Resolution
import StateStore
import Zones

/// The zones with all changes of one round. Changes nothing that is served.
struct RecordRound {
    /// The result of one request, before it is served.
    struct Accepted {
        let zone: DomainName
        let serial: UInt32
        let changed: Int
        /// In the history; `nil` if nothing changed.
        let number: UInt64?
    }

    private let model: LoadedModel
    private let places: [DomainName: Int]
    /// What was kept before.
    private let kept: [DomainName: ZoneChanges]
    /// Microseconds since 1970.
    private let time: Int64
    private let numbers: @Sendable () -> UInt64
    /// What the history gets.
    private var history: [KeptRecordChange] = []
    private var batches: [Int: ZoneBatches] = [:]
    /// How many records the zones gain.
    private var added: [Int: Int] = [:]
    /// What is to be kept, by the indices of the zones.
    private(set) var later: [Int: [RRsetKey: ZoneChanges.RRset]] = [:]

    /// RRsets of `later` that the zones' files do not have.
    private var additions: [Int: Set<RRsetKey>] = [:]
    /// RRsets of `later` that leave nothing to keep: they were deleted, and the files do not have them.
    private var forgotten: [Int: Set<RRsetKey>] = [:]

    init(
        _ model: LoadedModel, _ places: [DomainName: Int], _ kept: [DomainName: ZoneChanges], time: Int64,
        numbers: @escaping @Sendable () -> UInt64
    ) {
        (self.model, self.places, self.kept, self.time, self.numbers) = (model, places, kept, time, numbers)
    }

    /// Whether no zone changes.
    var isEmpty: Bool { batches.isEmpty }

    /// Makes the changes of a request, all or none.
    mutating func add(_ request: RecordRequest) throws(ControlFailure) -> Accepted {
        guard let place = places[request.zone] else { throw RecordRequest.unknown(request.zone) }
        let zone = try zone(at: place)
        try check(request.expected, zone)
        let wanted = changes(in: request, zone)
        // Checked with those that change nothing: together they must make sense too.
        try check(wanted, of: request.zone, zone, isOfAlias: request.isOfAlias)
        let own = wanted.map(\.change).filter { !zone.has($0) }
        guard !own.isEmpty else { return Accepted(zone: request.zone, serial: zone.serial, changed: 0, number: nil) }
        let gained = own.reduce(0) { sum, change in
            let before = zone.rrsets(of: change.owner).first { $0.type == change.type }
            return sum + Set(change.records).count - (before?.records.count ?? 0)
        }
        let isNew = own.map { change in !zone.rrsets(of: change.owner).contains { $0.type == change.type } }
        let number = request.isOfAlias ? nil : numbers()
        let entries = (number == nil ? [] : own).map { change in
            KeptRecordChange(
                number: number ?? 0, time: time,
                key: KeptRRsetKey(
                    zone: request.zone.lowercasedWire, owner: change.owner.lowercasedWire, type: change.type.rawValue),
                before: zone.rrsets(of: change.owner).first { $0.type == change.type }.flatMap { set in
                    KeptRecordChange.Content(ttl: set.ttl, records: set.records)
                }, after: KeptRecordChange.Content(ttl: change.ttl, records: change.records), serial: 0,
                author: request.author)
        }
        batches[place] = try Self.changed(
            consume zone, own, &batches[place], raisesSerial: !request.isOfAlias)
        let serial = batches[place]?.serial ?? 0
        history += entries.map { entry in
            var entry = entry
            entry.serial = serial
            return entry
        }
        added[place, default: 0] += gained
        for (change, isNew) in zip(own, isNew) {
            note(change, isNew: isNew, at: place, of: request.zone)
            later[place, default: [:]][RRsetKey(owner: change.owner.lowercasedWire, type: change.type)] =
                ZoneChanges.RRset(ttl: change.ttl, records: change.records, time: time, author: request.author)
        }
        return Accepted(zone: request.zone, serial: serial, changed: own.count, number: number)
    }

    /// Remembers whether the files have the RRset, and whether anything is to be kept of the change.
    ///
    /// - Parameter isNew: whether the zone lacked the RRset before.
    private mutating func note(_ change: RRsetChange, isNew: Bool, at place: Int, of zone: DomainName) {
        let key = RRsetKey(owner: change.owner.lowercasedWire, type: change.type)
        var isAddition = model.zones[place].additions.contains(key) || additions[place]?.contains(key) == true
        let isUnchanged = kept[zone]?[key] == nil && later[place]?[key] == nil
        if isNew, isUnchanged { isAddition = true }
        guard isAddition else { return }
        if change.records.isEmpty {
            forgotten[place, default: []].insert(key)
        } else {
            additions[place, default: []].insert(key)
            forgotten[place]?.remove(key)
        }
    }

    /// - Parameter shared: another reference to `zone`, with the requests before. It is emptied, so that the zone is changed
    ///   in place and not copied. After a failure it is as it was.
    private static func changed(
        _ zone: consuming ZoneBatches, _ changes: [RRsetChange], _ shared: inout ZoneBatches?, raisesSerial: Bool
    ) throws(ControlFailure) -> ZoneBatches {
        let isShared = shared != nil
        shared = nil
        do throws(ZoneBatchError) { try zone.apply(changes, raisesSerial: raisesSerial) } catch {
            // A failure leaves the zone unchanged. The requests before are part of it.
            if isShared { shared = zone }
            // They were checked with others that change nothing.
            throw ControlFailure(.internal, "changes were refused that had been accepted")
        }
        return zone
    }

    private func zone(at place: Int) throws(ControlFailure) -> ZoneBatches {
        if let zone = batches[place] { return zone }
        do throws(ZoneError) { return try ZoneBatches(model.zones[place].zone) } catch {
            throw ControlFailure(
                .conflict, "\(error)",
                remedy: "change the zone's file, then sign it again")
        }
    }

    /// A change that is asked for, by its index in the request.
    private typealias Asked = (index: Int, change: RRsetChange)

    /// The changes of a request. Type ANY stands for all types that the name has. An SOA that comes back from the history
    /// gets the next serial, because a serial does not go back.
    private func changes(in request: RecordRequest, _ zone: ZoneBatches) -> [Asked] {
        guard request.expected.isEmpty else {
            return request.changes.enumerated().map { ($0, $1.withSerial(zone.serial &+ 1)) }
        }
        guard request.changes.contains(where: { $0.type == .any }) else {
            return request.changes.enumerated().map { ($0, $1) }
        }
        return request.changes.enumerated().flatMap { index, change -> [Asked] in
            guard change.type == .any else { return [(index, change)] }
            let isApex = change.owner == request.zone
            return zone.rrsets(of: change.owner).map(\.type)
                // A zone keeps these (RFC 2136, section 3.4.2.3).
                .filter { !isApex || ($0 != .soa && $0 != .ns) }
                .map { (index, RRsetChange(owner: change.owner, type: $0)) }
        }
    }

    /// Refuses a request whose RRsets have changed since its author saw them. The serial of an SOA does not count:
    /// each change raises it.
    private func check(_ expected: [RRsetChange], _ zone: ZoneBatches) throws(ControlFailure) {
        for set in expected {
            let now = zone.rrsets(of: set.owner).first { $0.type == set.type }
            let isAsExpected =
                now.map { now in
                    let seen = set.withSerial(zone.serial)
                    return now.ttl == seen.ttl && Set(now.records) == Set(seen.records)
                } ?? set.records.isEmpty
            guard !isAsExpected else { continue }
            throw ControlFailure(
                .conflict, "\(set.owner) \(set.type) is no longer as the change left it",
                remedy: "see nearcast record history; undo the later changes first, or set the records you want")
        }
    }

    /// Refuses what cannot be made.
    private func check(
        _ wanted: [Asked], of origin: DomainName, _ zone: ZoneBatches, isOfAlias: Bool
    ) throws(ControlFailure) {
        func refusal(_ problems: [(asked: Asked, message: String)]) -> ControlFailure {
            RecordRequest.refusal(
                problems.map { RecordRequest.place($0.index, $0.change.owner, $0.change.type) + $1 })
        }
        // A serial does not go back.
        for asked in wanted where asked.change.type == .soa && asked.change.owner == origin {
            guard let data = asked.change.records.first, data.count >= 20 else { continue }
            let given = data.suffix(20).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            guard given != zone.serial, !SerialNumber.isLater(given, than: zone.serial) else { continue }
            let message =
                "the serial \(given) is not later than \(zone.serial), which is served; give a later one, or leave the SOA "
                + "out"
            throw refusal([(asked, message)])
        }
        if !isOfAlias { try refuseAliases(wanted, refusal) }
        let hidden = wanted.compactMap { asked -> (asked: Asked, message: String)? in
            guard !asked.change.records.isEmpty, asked.change.owner.isSubdomain(of: origin),
                let other = model.model.zones.zone(of: asked.change.owner), other.apex != origin
            else { return nil }
            return (asked, "is answered by the zone \(other.apex), which is served too; change it there")
        }
        guard hidden.isEmpty else { throw refusal(hidden) }
        do throws(ZoneBatchError) { try zone.check(wanted.map(\.change)) } catch {
            throw refusal(error.problems.map { (wanted[$0.change], $0.error.message) })
        }
    }

    /// The addresses of an alias are its target's.
    private func refuseAliases(
        _ wanted: [Asked], _ refusal: ([(asked: Asked, message: String)]) -> ControlFailure
    ) throws(ControlFailure) {
        let aliases = model.configuration.aliases
        guard !aliases.isEmpty else { return }
        let problems = wanted.compactMap { asked -> (asked: Asked, message: String)? in
            guard asked.change.type == .a || asked.change.type == .aaaa,
                let alias = aliases.first(where: { $0.name == asked.change.owner })
            else { return nil }
            return (asked, "is an alias of \(alias.target); remove it from aliases first")
        }
        guard problems.isEmpty else { throw refusal(problems) }
    }

    /// What the journal is to keep.
    var change: KeptRRsetsChange {
        var change = change(
            { place, key, set in forgotten[place]?.contains(key) == true ? nil : set },
            serial: { batches[$0]?.serial })
        change.history = history
        return change
    }

    /// What takes that back.
    func undoing(_ kept: [DomainName: ZoneChanges]) -> KeptRRsetsChange {
        var inverse = change(
            { place, key, _ in kept[model.zones[place].origin]?[key] }, serial: { kept[model.zones[$0].origin]?.serial }
        )
        inverse.struck = Set(history.map(\.number))
        return inverse
    }

    private func change(
        _ set: (Int, RRsetKey, ZoneChanges.RRset) -> ZoneChanges.RRset?, serial: (Int) -> UInt32?
    ) -> KeptRRsetsChange {
        var change = KeptRRsetsChange()
        for (place, sets) in later {
            let zone = model.zones[place].origin.lowercasedWire
            change.serials[zone] = .some(serial(place))
            for (key, value) in sets {
                let own = KeptRRsetKey(zone: zone, owner: key.owner, type: key.type.rawValue)
                change.sets[own] = .some(set(place, key, value).map { KeptRRset($0) })
            }
        }
        return change
    }

    /// Enters what is kept now.
    func enter(into kept: inout [DomainName: ZoneChanges]) {
        for (place, sets) in later {
            let origin = model.zones[place].origin
            for (key, set) in sets {
                kept[origin, default: ZoneChanges()][key] = forgotten[place]?.contains(key) == true ? nil : set
            }
            kept[origin]?.serial = batches[place]?.serial
        }
    }

    /// The model with all that was accepted, and the names that changed, by the places of their zones.
    func finish() -> (next: LoadedModel, names: [Int: Set<[UInt8]>]) {
        var names: [Int: Set<[UInt8]>] = [:]
        var versions: [Int: ChangedZone] = [:]
        for (place, batch) in batches {
            let finished = batch.finish()
            names[place] = finished.names
            versions[place] = ChangedZone(
                finished.zone, kept[model.zones[place].origin], with: later[place] ?? [:],
                forgetting: forgotten[place] ?? [],
                additions: model.zones[place].additions.union(additions[place] ?? [])
                    .subtracting(forgotten[place] ?? []), records: added[place] ?? 0)
        }
        return (model.replacing(versions), names)
    }
}
