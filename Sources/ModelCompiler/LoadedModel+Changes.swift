import DNSWire
import Resolution
public import Zones

/// A zone after changes of single RRsets.
public struct ChangedZone: Sendable {
    public let zone: Zone
    /// All its record changes: their number and digest.
    let count: Int
    let digest: UInt64
    /// How many more records it has.
    let records: Int
    /// RRsets that its files do not have.
    let additions: Set<RRsetKey>

    /// - Parameters:
    ///   - changes: the zone's record changes so far.
    ///   - later: changes added to them, or replacing them.
    ///   - forgotten: those of them that leave nothing to keep.
    ///   - additions: RRsets of the changes that the zone's files do not have.
    ///   - records: how many more records it has than before.
    public init(
        _ zone: Zone, _ changes: ZoneChanges?, with later: [RRsetKey: ZoneChanges.RRset],
        forgetting forgotten: Set<RRsetKey>, additions: Set<RRsetKey>, records: Int
    ) {
        (self.zone, self.records, self.additions) = (zone, records, additions)
        (count, digest) = (changes ?? ZoneChanges())
            .summary(with: later, forgetting: forgotten, serial: zone.serial)
    }
}

extension LoadedModel {
    /// The same model with new versions of zones, by index in `zones`, and the next epoch.
    public func replacing(_ versions: [Int: ChangedZone]) -> LoadedModel {
        var next = self
        for (place, version) in versions { next.zones[place].take(version) }
        next.model = model.replacing(
            model.zones.replacing(versions.mapValues(\.zone)), epoch: model.epoch + 1,
            digest: Self.digest(next.zones, surroundingsDigest))
        return next
    }

    /// The same model with the given zones, by index.
    public func replacing(_ versions: [Int: LoadedZone]) -> LoadedModel {
        guard !versions.isEmpty else { return self }
        var next = self
        for (place, zone) in versions { next.zones[place] = zone }
        next.model = model.replacing(
            model.zones.replacing(versions.mapValues(\.zone)), epoch: model.epoch,
            digest: Self.digest(next.zones, surroundingsDigest))
        return next
    }

    /// The same model with another epoch.
    public func numbered(_ epoch: UInt64) -> LoadedModel {
        var next = self
        next.model = model.replacing(model.zones, epoch: epoch, digest: model.digest)
        return next
    }

    /// Hash of everything that decides answers.
    static func digest(_ zones: [LoadedZone], _ surroundings: UInt64) -> UInt64 {
        var digest = ModelDigest()
        for zone in zones { digest.add(zone.contentDigest) }
        digest.add(surroundings)
        return digest.value
    }
}

extension LoadedZone {
    /// Hash of what decides its contents: the files and the record changes.
    var contentDigest: UInt64 {
        guard changesDigest != 0 else { return digest }
        var whole = ModelDigest()
        whole.add(digest)
        whole.add(changesDigest)
        return whole.value
    }

    /// This zone with `zone` as its content: some RRsets have changed.
    ///
    /// - Parameters:
    ///   - later: the RRsets, each with its content now.
    ///   - applied: the record changes that this zone was read with.
    ///   - kept: all its record changes now.
    public func laying(
        _ later: [RRsetKey: ZoneChanges.RRset], making zone: Zone, over applied: ZoneChanges, _ kept: ZoneChanges
    ) -> LoadedZone {
        var next = self
        let applied = settled ?? applied
        var kept = settled ?? kept
        var laid = ZoneChanges()
        for (key, set) in later {
            laid[key] = set
            let isInFiles = applied[key] == nil ? self.zone.has(key) : !additions.contains(key)
            if set.records.isEmpty, !isInFiles {
                kept[key] = nil
                next.additions.remove(key)
            } else {
                kept[key] = set
                if !isInFiles { next.additions.insert(key) }
            }
        }
        next.records += zone.recordCount(of: laid, over: self.zone)
        kept.serial = zone.serial
        (next.zone, next.serial, next.settled) = (zone, zone.serial, kept)
        (next.changes, next.changesDigest) = (kept.sets.count, kept.digest)
        return next
    }

    fileprivate mutating func take(_ version: ChangedZone) {
        (zone, serial) = (version.zone, version.zone.serial)
        records += version.records
        (changes, changesDigest, additions) = (version.count, version.digest, version.additions)
        settled = nil
    }
}

extension Zone {
    /// Whether there is such an RRset.
    fileprivate func has(_ key: RRsetKey) -> Bool {
        DomainName(wire: key.owner).map { rrsets(of: $0).contains { $0.type == key.type } } ?? false
    }
}
