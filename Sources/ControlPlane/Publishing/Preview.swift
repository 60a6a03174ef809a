package import ControlFailures
package import DNSWire
package import Lints
import ModelCompiler
import Resolution
import Zones

/// What a reload would do.
package struct ReloadPreview: Sendable {
    /// Of the model in use.
    package let epoch: UInt64
    /// Of the model that would be used.
    package let digest: UInt64
    package let difference: ModelDifference
    package let configuration: ConfigurationDifference
    package let zones: [ZoneDifference]
    package let problems: [String]
    package let warnings: [LintWarning]
    /// Reading and compiling, in seconds.
    package let loadSeconds: Double

    package var changesAnything: Bool {
        difference.isAny || configuration.isAny
    }
}

/// What a change of records would do.
package struct RecordPreview: Sendable {
    package let zone: DomainName
    package let serial: UInt32
    package let nextSerial: UInt32
    /// By owner and type.
    package let sets: [RecordDifference]
}

extension Served {
    /// Reads what is desired, and compares it with this. Takes as long as a reload; call it on a thread of its own.
    ///
    /// - Throws: `invalid` when a reload would be refused.
    func preview(of source: any ModelSource) throws(ControlFailure) -> (ReloadPreview, next: LoadedModel) {
        let start = ContinuousClock.now
        let request = ReadRequest(earlier: loaded, slots: slots, changes: changes, stamp: stamp)
        let revision = try source.read(request)
        let next = try revision.result.get().loaded
        let loadSeconds = (ContinuousClock.now - start).seconds
        let earlier = Dictionary(loaded.zones.map { ($0.origin, $0.zone) }) { first, _ in first }
        let zones = next.zones.compactMap { zone -> ZoneDifference? in
            guard let old = earlier[zone.origin], old !== zone.zone else { return nil }
            return ZoneDifference(zone.origin, from: old, to: zone.zone)
        }
        let preview = ReloadPreview(
            epoch: loaded.model.epoch, digest: next.model.digest,
            difference: ModelDifference(from: loaded, to: next),
            configuration: ConfigurationDifference(from: loaded, to: revision), zones: zones, problems: next.problems,
            warnings: next.currentWarnings, loadSeconds: loadSeconds)
        return (preview, next)
    }

    /// Makes the changes of a request, and compares the result with this.
    ///
    /// - Throws: what the request itself would throw.
    func preview(of request: RecordRequest) throws(ControlFailure) -> RecordPreview {
        var round = RecordRound(loaded, places, changes, time: 0, numbers: { 0 })
        let accepted = try round.add(request)
        guard let place = places[request.zone] else { throw RecordRequest.unknown(request.zone) }
        let zone = loaded.zones[place].zone
        let sets = (round.later[place] ?? [:]).compactMap { key, set -> RecordDifference? in
            guard let owner = DomainName(wire: key.owner) else { return nil }
            let before = zone.rrsets(of: owner).first { $0.type == key.type }
            return RecordDifference(
                owner, key.type, from: before.map { RecordDifference.Content($0) },
                to: RecordDifference.Content(ttl: set.ttl, records: set.records))
        }
        return RecordPreview(
            zone: request.zone, serial: zone.serial, nextSerial: accepted.serial,
            sets: sets.sorted { ($0.owner, $0.type) < ($1.owner, $1.type) })
    }
}

extension Publisher {
    /// Reads what a reload would, and changes nothing. Other commands go on in the meantime.
    package func previewReload() async throws(ControlFailure) -> ReloadPreview {
        let (served, source) = (current, source)
        return try await onOwnThread(stackSize: 8 << 20) {
            Result { () throws(ControlFailure) in try served.preview(of: source).0 }
        }.get()
    }

    /// Checks and computes changes of records, and changes nothing.
    package func preview(_ request: RecordRequest) throws(ControlFailure) -> RecordPreview {
        try current.preview(of: request)
    }
}
