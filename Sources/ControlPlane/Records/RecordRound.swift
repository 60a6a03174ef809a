import ControlFailures
package import DNSWire
package import Logging
package import ModelCompiler
import Resolution
package import StateStore
import Zones

/// The zones with all changes of one round. Changes nothing that is served.
struct RecordRound {
    /// The result of one request, before it is served.
    struct Accepted {
        let zone: DomainName
        let serial: UInt32
        let changed: Int
    }

    private let model: LoadedModel
    private let places: [DomainName: Int]
    /// Microseconds since 1970.
    private let time: Int64
    private var batches: [Int: ZoneBatches] = [:]
    /// How many records the zones gain.
    private var added: [Int: Int] = [:]
    /// What is to be kept, by the indices of the zones.
    private(set) var later: [Int: [RRsetKey: ZoneChanges.RRset]] = [:]

    init(_ model: LoadedModel, _ places: [DomainName: Int], time: Int64) {
        (self.model, self.places, self.time) = (model, places, time)
    }

    /// Whether no zone changes.
    var isEmpty: Bool { batches.isEmpty }

    /// Makes the changes of a request, all or none.
    mutating func add(_ request: RecordRequest) throws(ControlFailure) -> Accepted {
        guard let place = places[request.zone] else { throw RecordRequest.unknown(request.zone) }
        let zone = try zone(at: place)
        let wanted = changes(in: request, zone)
        // Checked with those that change nothing: together they must make sense too.
        try check(wanted, of: request.zone, zone)
        let own = wanted.map(\.change).filter { !zone.has($0) }
        guard !own.isEmpty else { return Accepted(zone: request.zone, serial: zone.serial, changed: 0) }
        let gained = own.reduce(0) { sum, change in
            let before = zone.rrsets(of: change.owner).first { $0.type == change.type }
            return sum + Set(change.records).count - (before?.records.count ?? 0)
        }
        batches[place] = try Self.changed(consume zone, own, &batches[place])
        added[place, default: 0] += gained
        for change in own {
            later[place, default: [:]][RRsetKey(owner: change.owner.lowercasedWire, type: change.type)] =
                ZoneChanges.RRset(ttl: change.ttl, records: change.records, time: time, author: request.author)
        }
        return Accepted(zone: request.zone, serial: batches[place]?.serial ?? 0, changed: own.count)
    }

    /// - Parameter shared: another reference to `zone`, with the requests before. It is emptied, so that the zone is changed
    ///   in place and not copied. After a failure it is as it was.
    private static func changed(
        _ zone: consuming ZoneBatches, _ changes: [RRsetChange], _ shared: inout ZoneBatches?
    ) throws(ControlFailure) -> ZoneBatches {
        let isShared = shared != nil
        shared = nil
        do throws(ZoneBatchError) { try zone.apply(changes, raisesSerial: true) } catch {
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

    /// The changes of a request. Type ANY stands for all types that the name has.
    private func changes(in request: RecordRequest, _ zone: ZoneBatches) -> [Asked] {
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

    /// Refuses what cannot be made.
    private func check(_ wanted: [Asked], of origin: DomainName, _ zone: ZoneBatches) throws(ControlFailure) {
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

    /// What the journal is to keep.
    var change: KeptRRsetsChange { change({ $2 }, serial: { batches[$0]?.serial }) }

    /// What takes that back.
    func undoing(_ kept: [DomainName: ZoneChanges]) -> KeptRRsetsChange {
        change(
            { place, key, _ in kept[model.zones[place].origin]?[key] }, serial: { kept[model.zones[$0].origin]?.serial }
        )
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
            for (key, set) in sets { kept[origin, default: ZoneChanges()][key] = set }
            kept[origin]?.serial = batches[place]?.serial
        }
    }

    /// The model with all that was accepted, and the names that changed, by the places of their zones.
    ///
    /// - Parameter kept: what was kept before.
    func finish(_ kept: [DomainName: ZoneChanges]) -> (next: LoadedModel, names: [Int: Set<[UInt8]>]) {
        var names: [Int: Set<[UInt8]>] = [:]
        var versions: [Int: ChangedZone] = [:]
        for (place, batch) in batches {
            let finished = batch.finish()
            names[place] = finished.names
            versions[place] = ChangedZone(
                finished.zone, kept[model.zones[place].origin], with: later[place] ?? [:], records: added[place] ?? 0)
        }
        return (model.replacing(versions), names)
    }
}

// MARK: - As the journal keeps them

extension KeptRRset {
    init(_ set: ZoneChanges.RRset) {
        var bytes: [UInt8] = []
        for record in set.records { bytes += [UInt8(record.count >> 8), UInt8(record.count & 255)] + record }
        self.init(ttl: set.ttl, records: bytes, time: set.time, author: set.author)
    }
}

extension ZoneChanges.RRset {
    init(_ kept: KeptRRset) {
        var records: [[UInt8]] = []
        var rest = kept.records[...]
        while rest.count >= 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            records.append(Array(rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        self.init(ttl: kept.ttl, records: records, time: kept.time, author: kept.author)
    }
}

extension [DomainName: ZoneChanges] {
    /// By the origin of their zone.
    package init(_ kept: KeptRRsets) {
        self.init()
        for (key, set) in kept.sets {
            guard let zone = DomainName(wire: key.zone) else { continue }
            let own = RRsetKey(owner: key.owner, type: RecordType(rawValue: key.type))
            self[zone, default: ZoneChanges()][own] = ZoneChanges.RRset(set)
        }
        for (zone, serial) in kept.serials {
            if let zone = DomainName(wire: zone) { self[zone, default: ZoneChanges()].serial = serial }
        }
    }

    /// What the store has to write when this takes the place of `earlier`.
    package func difference(from earlier: Self) -> KeptRRsetsChange {
        var change = KeptRRsetsChange()
        for origin in Set(keys).union(earlier.keys) {
            let (before, after) = (earlier[origin], self[origin])
            let zone = origin.lowercasedWire
            for key in Set(before?.sets.keys.map { $0 } ?? []).union(after?.sets.keys.map { $0 } ?? [])
            where before?[key] != after?[key] {
                let own = KeptRRsetKey(zone: zone, owner: key.owner, type: key.type.rawValue)
                change.sets[own] = .some(after?[key].map { KeptRRset($0) })
            }
            if before?.serial != after?.serial { change.serials[zone] = .some(after?.serial) }
        }
        return change
    }

    /// What is still to be kept after a model was loaded with this.
    func settled(by model: LoadedModel) -> Self {
        var settled = self
        for zone in model.zones {
            guard let remaining = zone.settled else { continue }
            settled[zone.origin] = remaining.isEmpty ? nil : remaining
        }
        return settled
    }
}

extension LoadedModel {
    /// Places of zones by their origins.
    var places: [DomainName: Int] {
        Dictionary(zones.enumerated().map { ($0.element.origin, $0.offset) }) { first, _ in first }
    }
}

extension [DomainName: ZoneChanges] {
    /// At the start: what is still to be kept. Changes that the files contain are dropped.
    package func settle(
        by loaded: LoadedModel, in store: any StateStore, logger: Logger
    ) async -> [DomainName: ZoneChanges] {
        let settled = settled(by: loaded)
        let served = Set(loaded.zones.map(\.origin))
        for (origin, changes) in settled where !served.contains(origin) && !changes.sets.isEmpty {
            logger.warning(
                "record changes are kept for a zone that is not served: `nearcast record drop` removes them",
                metadata: ["zone": "\(origin)", "changes": "\(changes.sets.count)"])
        }
        if let problem = await store.keep(settled.difference(from: self)) {
            logger.warning("cannot drop record changes that the files contain", metadata: ["error": "\(problem)"])
        }
        return settled
    }
}
