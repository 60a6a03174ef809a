package import Access
import ConfigurationModel
package import ControlFailures
import ControlPlane
import DNSWire
import Lints
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
        var signed = change
        signed.author = caller.author(remarks: change.author)
        let request = try RecordRequest(signed, zone: zone)
        let before = try served()
        var receipt = RRsetsReceipt(try await parts().publisher.change(request))
        let warnings = newWarnings(of: request, since: before, try served())
        receipt.warnings = warnings.isEmpty ? nil : warnings.map(\.line)
        // Many a second, for automation that changes records one by one.
        log(
            .debug, "record change requested", ["zone": "\(receipt.zone)", "changed": "\(receipt.changed)"], by: caller,
            author: change.author)
        return receipt
    }

    /// What the zone is warned of now at the names that were changed, and was not before.
    private func newWarnings(of request: RecordRequest, since before: LoadedModel, _ now: LoadedModel) -> [LintWarning]
    {
        func zone(_ loaded: LoadedModel) -> Zone? {
            loaded.model.zones.zone(of: request.zone).flatMap { $0.apex == request.zone ? $0 : nil }
        }
        guard let old = zone(before), let new = zone(now) else { return [] }
        return now.configuration.allowed(
            RecordLints.new(in: new, since: old, owners: Set(request.changes.map(\.owner))))
    }

    package func preview(
        _ change: ManagementTypes.RRsetsChange, of zone: String
    ) async throws(ControlFailure) -> RRsetsPreview {
        RRsetsPreview(try await parts().publisher.preview(RecordRequest(change, zone: zone)))
    }

    package func forgetChanges(
        of zone: String, names: [String], type: String?, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt {
        let origin = try RecordRequest.name(zone, "the zone")
        var owners: [DomainName] = []
        for name in names { owners.append(try RecordRequest.name(name, in: origin)) }
        let wanted = type.flatMap { RecordType($0) }
        if let type, wanted == nil { throw RecordRequest.unknownType(type) }
        let receipt = RRsetsReceipt(try await parts().publisher.forget(origin, names: owners, type: wanted))
        log(.notice, "record changes dropped", ["zone": "\(origin)", "changed": "\(receipt.changed)"], by: caller)
        return receipt
    }

    package func zone(of name: String) async throws(ControlFailure) -> ZoneReport {
        let name = try RecordRequest.name(name, "the name")
        let loaded = try served()
        guard let apex = loaded.model.zones.zone(of: name)?.apex,
            let zone = loaded.zones.first(where: { $0.origin == apex })
        else {
            throw ControlFailure(
                .notFound, "no zone served here contains \(name)",
                remedy: "give the full name, such as www.example.com; `nearcast status` shows the zones")
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
        let served = try served(zone)
        let aliases = try parts().state.current.served.loaded.configuration.aliases
        return await Task.detached { served.zone.masterFile(without: aliases) }.value
    }

    private func served(_ text: String) throws(ControlFailure) -> LoadedZone {
        try served(RecordRequest.name(text, "the zone"))
    }

    /// - Throws: `notFound` for a zone that is not served.
    func served(_ origin: DomainName) throws(ControlFailure) -> LoadedZone {
        guard let zone = try served().zones.first(where: { $0.origin == origin }) else {
            throw RecordRequest.unknown(origin)
        }
        return zone
    }
}
