package import ConfigurationModel
import ControlPlane
import DNSWire
import Foundation
import ManagementTypes
import ModelCompiler
import Resolution
import ZoneFile
package import Zones

/// Zones and their records, as the API shows them.
extension LoadedZone {
    func report(
        _ request: RRsetsRequest, _ owner: DomainName?, _ changes: ZoneChanges
    ) -> RRsetsReport {
        func report(_ set: ZoneRRset) -> RRsetReport {
            var report = RRsetReport(set)
            if let change = changes[RRsetKey(owner: set.owner.lowercasedWire, type: set.type)] { report.note(change) }
            return report
        }
        var found: [RRsetReport] = []
        var total = 0
        if request.changed {
            let wire = owner?.lowercasedWire
            let keys = changes.sets.keys.filter { wire == nil || wire == $0.owner }
            total = keys.count
            let named = keys.compactMap { key in DomainName(wire: key.owner).map { (name: $0, key: key) } }
                .sorted { ($0.name, $0.key.type) < ($1.name, $1.key.type) }
            for (name, key) in named.prefix(request.limit) {
                var report = RRsetReport(name: "\(name)", type: "\(key.type)", records: [])
                if let now = zone.rrsets(of: name).first(where: { $0.type == key.type }) { report = RRsetReport(now) }
                if let change = changes[key] { report.note(change) }
                found.append(report)
            }
        } else if let owner {
            let sets = zone.rrsets(of: owner)
            total = sets.count
            found = sets.prefix(request.limit).map(report)
        } else {
            zone.forEachOwner { sets in
                total += sets.count
                for set in sets where found.count < request.limit { found.append(report(set)) }
                return true
            }
        }
        return RRsetsReport(
            zone: "\(origin)", serial: serial, changed: changes.sets.count, total: total, rrsets: found)
    }
}

extension RRsetReport {
    fileprivate init(_ set: ZoneRRset) {
        self.init(
            name: "\(set.owner)", type: "\(set.type)", ttl: set.records.isEmpty ? nil : set.ttl,
            records: set.records.map { set.type.presentation(of: $0) })
    }

    fileprivate mutating func note(_ change: ZoneChanges.RRset) {
        (changedAt, changedBy) = (Date(microseconds: change.time), change.author)
    }
}

extension ZoneReport {
    init(_ zone: LoadedZone) {
        self.init(
            origin: "\(zone.origin)", serial: zone.serial, records: zone.records,
            loadedAt: Date(timeIntervalSince1970: zone.loadedAt),
            problem: zone.failure?.problems.joined(separator: "; "),
            changed: zone.changes == 0 ? nil : zone.changes)
    }
}

extension Zone {
    /// The zone as a zone file has it: a record a line, names in full.
    ///
    /// - Parameter aliases: a comment takes the place of their addresses, which change without the file.
    package func masterFile(without aliases: [AliasSettings]) -> [UInt8] {
        let targets = Dictionary(aliases.map { ($0.name, $0.target) }) { first, _ in first }
        var text: [UInt8] = []
        forEachOwner { sets in
            var sets = sets
            if let owner = sets.first?.owner, let target = targets[owner] {
                let count = sets.count
                sets.removeAll { $0.type == .a || $0.type == .aaaa }
                if sets.count < count {
                    text += "; \(owner) is an alias of \(target): its addresses are left out\n".utf8
                }
            }
            for set in sets.sorted(by: { ($0.type == .soa ? 0 : 1, $0.type) < ($1.type == .soa ? 0 : 1, $1.type) }) {
                for record in set.records {
                    text += "\(set.owner) \(set.ttl) IN \(set.type) \(set.type.presentation(of: record))\n".utf8
                }
            }
            return true
        }
        return text
    }
}
