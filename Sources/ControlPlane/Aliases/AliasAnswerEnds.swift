import DNSWire
import ModelCompiler
import StateStore
import Zones

/// When the answers end whose addresses aliases have, in microseconds since 1970. Stored with the addresses, so that
/// their age counts over restarts.
struct AliasAnswerEnds: Sendable {
    private var ends: [DomainName: [RRsetKey: Int64]] = [:]

    var isEmpty: Bool { ends.isEmpty }

    mutating func add(_ end: Int64, _ key: RRsetKey, in zone: DomainName) { ends[zone, default: [:]][key] = end }

    /// The record changes with these ends, where a name still has addresses of an alias, and what the store gets.
    func entered(in changes: [DomainName: ZoneChanges]) -> (
        changes: [DomainName: ZoneChanges], stored: KeptRRsetsChange
    ) {
        var (changes, stored) = (changes, KeptRRsetsChange())
        for (zone, ends) in ends {
            for (key, end) in ends {
                guard var set = changes[zone]?[key], set.isOfAlias else { continue }
                set.answerEnds = end
                changes[zone]?[key] = set
                let kept = KeptRRsetKey(zone: zone.lowercasedWire, owner: key.owner, type: key.type.rawValue)
                stored.sets[kept] = .some(KeptRRset(set))
            }
        }
        return (changes, stored)
    }
}
