import ConfigurationModel
import ControlFailures
import DNSWire
import ModelCompiler
import Resolution
import StateStore
import Zones

/// The zones with all changes of one round: it checks requests, and writes the history. What becomes of a zone is in
/// ``ZoneRound``. Changes nothing that is served.
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
    /// By the indices of the zones. A zone whose requests were all refused is there too, unchanged.
    private var zones: [Int: ZoneRound] = [:]

    init(
        _ model: LoadedModel, _ places: [DomainName: Int], _ kept: [DomainName: ZoneChanges], time: Int64,
        numbers: @escaping @Sendable () -> UInt64
    ) {
        (self.model, self.places, self.kept, self.time, self.numbers) = (model, places, kept, time, numbers)
    }

    /// Whether no zone changes.
    var isEmpty: Bool { zones.values.allSatisfy(\.isEmpty) }

    /// The changed RRsets, by the indices of their zones.
    var later: [Int: [RRsetKey: ZoneChanges.RRset]] { zones.mapValues(\.later) }

    /// Makes the changes of a request, all or none.
    mutating func add(_ request: RecordRequest) throws(ControlFailure) -> Accepted {
        guard let place = places[request.zone] else { throw RecordRequest.unknown(request.zone) }
        let own = try changes(in: request, at: place)
        let isOfAlias = request.kind.isOfAlias
        // The history has no addresses of aliases, but it keeps what a caller loses by them.
        let told = isOfAlias ? own.filter { zones[place]?.isSetByCaller($0) == true } : own
        let number = told.isEmpty ? nil : numbers()
        let before = told.map { zones[place]?.content(of: $0) }
        // In place: a copy would copy the zone's indices.
        try zones[place]?.apply(own, time: time, author: request.author, isOfAlias: isOfAlias)
        let serial = zones[place]?.serial ?? 0
        if let number {
            history += zip(told, before).map { change, before in
                KeptRecordChange(
                    number: number, time: time,
                    key: KeptRRsetKey(
                        zone: request.zone.lowercasedWire, owner: change.owner.lowercasedWire,
                        type: change.type.rawValue),
                    before: before, after: KeptRecordChange.Content(ttl: change.ttl, records: change.records),
                    serial: serial, author: request.author)
            }
        }
        return Accepted(zone: request.zone, serial: serial, changed: own.count, number: number)
    }

    /// The changes of a request that differ from what the zone has.
    ///
    /// - Throws: why the request cannot be made.
    private mutating func changes(
        in request: RecordRequest, at place: Int
    ) throws(ControlFailure) -> [RRsetChange] {
        if zones[place] == nil {
            zones[place] = try ZoneRound(model.zones[place], kept[request.zone] ?? ZoneChanges())
        }
        guard let zone = zones[place]?.batches else { return [] }
        if case .undo(let expected) = request.kind { try check(expected, zone) }
        let wanted = changes(in: request, zone)
        // Checked with those that change nothing: together they must make sense too.
        try check(wanted, of: request.zone, zone, request.kind)
        return wanted.map(\.change).filter { !zone.has($0) }
    }

    /// A change that is asked for, by its index in the request.
    private typealias Asked = (index: Int, change: RRsetChange)

    /// The changes of a request. Type ANY stands for all types that the name has. An SOA that comes back from the history
    /// gets the next serial, because a serial does not go back.
    private func changes(in request: RecordRequest, _ zone: ZoneBatches) -> [Asked] {
        if case .undo = request.kind {
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
        _ wanted: [Asked], of origin: DomainName, _ zone: ZoneBatches, _ kind: RecordRequest.Kind
    ) throws(ControlFailure) {
        func refusal(_ problems: [(asked: Asked, message: String)]) -> ControlFailure {
            guard !kind.isOfAlias else { return RecordRequest.refusalOfAlias(problems.map { ($0.change.type, $1) }) }
            return RecordRequest.refusal(
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
        if !kind.isOfAlias { try refuseAliases(wanted, refusal) }
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
        var change = change { zone, key, set in
            zone.forgotten.contains(key) ? nil : set
        } serial: {
            $0.serial
        }
        change.history = history
        return change
    }

    /// What takes that back.
    func undoing(_ kept: [DomainName: ZoneChanges]) -> KeptRRsetsChange {
        var inverse = change { zone, key, _ in
            kept[zone.origin]?[key]
        } serial: {
            kept[$0.origin]?.serial
        }
        inverse.struck = Set(history.map(\.number))
        return inverse
    }

    private func change(
        _ set: (ZoneRound, RRsetKey, ZoneChanges.RRset) -> ZoneChanges.RRset?, serial: (ZoneRound) -> UInt32?
    ) -> KeptRRsetsChange {
        var change = KeptRRsetsChange()
        for zone in zones.values where !zone.isEmpty {
            let origin = zone.origin.lowercasedWire
            change.serials[origin] = .some(serial(zone))
            for (key, value) in zone.later {
                let own = KeptRRsetKey(zone: origin, owner: key.owner, type: key.type.rawValue)
                change.sets[own] = .some(set(zone, key, value).map { KeptRRset($0) })
            }
        }
        return change
    }

    /// Enters what is kept now.
    func enter(into kept: inout [DomainName: ZoneChanges]) {
        for zone in zones.values where !zone.isEmpty {
            for (key, set) in zone.later {
                kept[zone.origin, default: ZoneChanges()][key] = zone.forgotten.contains(key) ? nil : set
            }
            kept[zone.origin]?.serial = zone.serial
        }
    }

    /// The model with all that was accepted, and the names that changed, by the places of their zones.
    func finish() -> (next: LoadedModel, names: [Int: Set<[UInt8]>]) {
        let finished = zones.filter { !$0.value.isEmpty }.mapValues { $0.finish() }
        return (model.replacing(finished.mapValues(\.version)), finished.mapValues(\.names))
    }
}
