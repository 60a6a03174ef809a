package import DNSWire
package import Logging
package import ModelCompiler
package import StateStore
import Zones

/// All record changes that are kept, by the origin of their zone.
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
