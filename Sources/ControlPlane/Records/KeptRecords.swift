package import DNSWire
package import Logging
package import ModelCompiler
package import StateStore
import Zones

// Record changes as the store keeps them.

extension KeptRRset {
    init(_ set: ZoneChanges.RRset) {
        self.init(ttl: set.ttl, records: Self.bytes(set.records), time: set.time, author: set.author)
    }

    /// Each record behind its length in two bytes.
    fileprivate static func bytes(_ records: some Sequence<[UInt8]>) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records { bytes += [UInt8(record.count >> 8), UInt8(record.count & 255)] + record }
        return bytes
    }

    /// The records in bytes that ``bytes(_:)`` made, up to the first damage.
    package static func records(_ bytes: [UInt8]) -> [[UInt8]] { read(bytes).records }

    /// The same; `nil` for damaged bytes.
    package static func records(whole bytes: [UInt8]) -> [[UInt8]]? {
        let (records, isWhole) = read(bytes)
        return isWhole ? records : nil
    }

    private static func read(_ bytes: [UInt8]) -> (records: [[UInt8]], isWhole: Bool) {
        var records: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            guard rest.count >= 2 + length else { break }
            records.append(Array(rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        return (records, rest.isEmpty)
    }
}

extension KeptRecordChange.Content {
    /// `nil` without records.
    init?(ttl: UInt32, records: some Sequence<[UInt8]>) {
        let bytes = KeptRRset.bytes(records)
        guard !bytes.isEmpty else { return nil }
        self.init(ttl: ttl, records: bytes)
    }
}

extension ZoneChanges.RRset {
    init(_ kept: KeptRRset) {
        self.init(ttl: kept.ttl, records: KeptRRset.records(kept.records), time: kept.time, author: kept.author)
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
