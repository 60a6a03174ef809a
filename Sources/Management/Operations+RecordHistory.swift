package import Access
package import ControlFailures
import ControlPlane
import DNSWire
import Foundation
import Logging
package import ManagementTypes
import StateStore
import ZoneFile
import Zones

/// The history of record changes, and the way back.
extension Operations {
    package func recordHistory(
        _ request: RecordHistoryRequest
    ) async throws(ControlFailure) -> [RecordChangeReport] {
        let zone = try RecordRequest.name(request.zone, "the zone")
        var query = RecordHistoryQuery(zone: zone.lowercasedWire, limit: request.limit)
        if let name = request.name { query.owner = try RecordRequest.name(name, in: zone).lowercasedWire }
        if let text = request.type {
            guard let type = RecordType(text) else { throw RecordRequest.unknownType(text) }
            query.type = type.rawValue
        }
        let found = try await recordHistory(query)
        // A zone that is no longer served may have a history.
        if found.isEmpty { _ = try served(zone) }
        return found.map { RecordChangeReport($0) }
    }

    package func undo(
        _ number: UInt64, of zone: String, _ order: UndoOrder, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt {
        try Remark.require(("author", order.author))
        let request = try await undoing(number, of: zone, author: caller.author(remarks: order.author))
        let receipt = RRsetsReceipt(try await parts().publisher.change(request))
        log(
            .notice, "record change undone",
            ["zone": "\(receipt.zone)", "change": "\(number)", "changed": "\(receipt.changed)"], by: caller,
            author: order.author)
        return receipt
    }

    package func previewUndo(_ number: UInt64, of zone: String) async throws(ControlFailure) -> RRsetsPreview {
        RRsetsPreview(try await parts().publisher.preview(undoing(number, of: zone, author: nil)))
    }

    /// The request that takes a change back. It is refused where an RRset is not as the change left it.
    private func undoing(
        _ number: UInt64, of zone: String, author: String?
    ) async throws(ControlFailure) -> RecordRequest {
        let origin = try RecordRequest.name(zone, "the zone")
        let entries = try await recordHistory(
            RecordHistoryQuery(zone: origin.lowercasedWire, number: number, limit: 100_000))
        guard !entries.isEmpty else {
            throw ControlFailure(
                .notFound, "the history of \(origin) has no change \(number)",
                remedy: "nearcast record history \(origin) shows the changes that can be undone")
        }
        func sets(_ content: KeyPath<KeptRecordChange, KeptRecordChange.Content?>) throws(ControlFailure)
            -> [RRsetChange]
        {
            try entries.map { entry throws(ControlFailure) in
                guard let set = entry.set(content) else {
                    throw ControlFailure(
                        .conflict, "the history of \(origin) is damaged: change \(number) cannot be read whole",
                        remedy: "set the records you want with nearcast record set")
                }
                return set
            }
        }
        return RecordRequest(
            zone: origin, changes: try sets(\.before), .undo(expected: try sets(\.after)), author: author)
    }

    private func recordHistory(_ query: RecordHistoryQuery) async throws(ControlFailure) -> [KeptRecordChange] {
        do { return try await parts().store.recordHistory(query) } catch let failure as ControlFailure {
            throw failure
        } catch {
            throw ControlFailure(.internal, "the journal cannot be read: \(error)")
        }
    }
}

extension KeptRecordChange {
    /// `nil` for an owner that is no name, which damage may cause.
    fileprivate var owner: DomainName? { DomainName(wire: key.owner) }

    /// The RRset with one of its contents; `nil` if the journal's entry is damaged.
    fileprivate func set(_ content: KeyPath<KeptRecordChange, Content?>) -> RRsetChange? {
        guard let owner else { return nil }
        let type = RecordType(rawValue: key.type)
        guard let content = self[keyPath: content] else { return RRsetChange(owner: owner, type: type, ttl: 0) }
        guard let records = KeptRRset.records(whole: content.records) else { return nil }
        return RRsetChange(owner: owner, type: type, ttl: content.ttl, records: records)
    }
}

extension RecordChangeReport {
    fileprivate init(_ change: KeptRecordChange) {
        let type = RecordType(rawValue: change.key.type)
        func content(_ content: KeptRecordChange.Content?) -> RecordContent? {
            content.map { content in
                RecordContent(
                    ttl: content.ttl, records: KeptRRset.records(content.records).map { type.presentation(of: $0) })
            }
        }
        self.init(
            change: change.number, time: Date(microseconds: change.time),
            zone: DomainName(wire: change.key.zone)?.description ?? "?", name: change.owner?.description ?? "?",
            type: "\(type)", before: content(change.before), after: content(change.after), serial: change.serial,
            author: change.author)
    }
}
