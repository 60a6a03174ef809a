package import Access
package import ControlFailures
import ControlPlane
import DNSWire
import Foundation
import Logging
package import ManagementTypes
import ModelCompiler
import Resolution
import ZoneFile
import Zones

extension Operations {
    package func change(
        _ change: ManagementTypes.RRsetsChange, of zone: String, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt {
        try Remark.require(("author", change.author))
        var change = change
        change.author = caller.author(remarks: change.author)
        return RRsetsReceipt(try await parts().publisher.change(RecordRequest(change, zone: zone)))
    }

    package func forgetChanges(
        of zone: String, names: [String], type: String?, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt {
        let origin = try RecordRequest.name(zone, "the zone")
        var owners: [DomainName] = []
        for name in names { owners.append(try RecordRequest.name(name, in: origin)) }
        let wanted = type.flatMap { RecordType($0) }
        if let type, wanted == nil {
            throw ControlFailure(.invalid, "\"\(type)\" is no type", remedy: "write it as A, or TYPE and its number")
        }
        let receipt = RRsetsReceipt(try await parts().publisher.forget(origin, names: owners, type: wanted))
        logger.notice(
            "record changes dropped",
            metadata: ["zone": "\(origin)", "changed": "\(receipt.changed)", "by": "\(caller)"])
        return receipt
    }

    package func zone(of name: String) async throws(ControlFailure) -> ZoneReport {
        let name = try RecordRequest.name(name, "the name")
        let loaded = try served()
        guard let apex = loaded.model.zones.zone(of: name)?.apex,
            let zone = loaded.zones.first(where: { $0.origin == apex })
        else {
            throw ControlFailure(
                .notFound, "\(name) is in no zone that is served",
                remedy: "give the name in full, as www.example.com; nearcast status shows the zones that are served")
        }
        return ZoneReport(zone)
    }

    package func rrsets(_ request: RRsetsRequest) async throws(ControlFailure) -> RRsetsReport {
        let zone = try served(request.zone)
        var owner: DomainName?
        if let name = request.name { owner = try RecordRequest.name(name, in: zone.origin) }
        let changes = try parts().state.current.served.changes[zone.origin] ?? ZoneChanges()
        return await Task.detached { zone.report(request, owner, changes) }.value
    }

    package func export(_ zone: String) async throws(ControlFailure) -> [UInt8] {
        let zone = try served(zone).zone
        return await Task.detached { zone.masterFile }.value
    }

    private func served(_ text: String) throws(ControlFailure) -> LoadedZone {
        let origin = try RecordRequest.name(text, "the zone")
        guard let zone = try served().zones.first(where: { $0.origin == origin }) else {
            throw RecordRequest.unknown(origin)
        }
        return zone
    }
}

extension LoadedZone {
    fileprivate func report(
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
                var told = RRsetReport(name: "\(name)", type: "\(key.type)", records: [])
                if let now = zone.rrsets(of: name).first(where: { $0.type == key.type }) { told = RRsetReport(now) }
                if let change = changes[key] { told.note(change) }
                found.append(told)
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
    fileprivate var masterFile: [UInt8] {
        var text: [UInt8] = []
        forEachOwner { sets in
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
