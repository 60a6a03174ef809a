import ControlPlane
import DNSWire
import Foundation
import Lints
import ManagementTypes
import Resolution
import ZoneFile

extension ManagementTypes.ReloadPreview {
    init(_ preview: ControlPlane.ReloadPreview) {
        let (difference, configuration) = (preview.difference, preview.configuration)
        self.init(
            epoch: preview.epoch, digest: preview.digest.hexadecimal, changed: preview.changesAnything,
            zones: .init(difference.zones), nodes: .init(difference.nodes), tailored: .init(difference.tailored),
            pools: .init(configuration.pools), policies: .init(configuration.policies),
            settings: configuration.settings, database: difference.database, steering: difference.steering,
            records: preview.zones.map(ZoneDifference.init), problems: preview.problems,
            warnings: preview.warnings.map(\.line), loadSeconds: preview.loadSeconds)
    }
}

extension ManagementTypes.ReloadPreview.ZoneDifference {
    fileprivate init(_ difference: ControlPlane.ZoneDifference) {
        self.init(
            zone: "\(difference.origin)", serial: difference.serial, nextSerial: difference.nextSerial,
            added: difference.added, removed: difference.removed, rrsets: difference.sets.map(RRsetDifference.init))
    }
}

extension RRsetsPreview {
    init(_ preview: RecordPreview) {
        self.init(
            zone: "\(preview.zone)", serial: preview.serial, nextSerial: preview.nextSerial,
            rrsets: preview.sets.map(RRsetDifference.init))
    }
}

extension RRsetDifference {
    fileprivate init(_ difference: RecordDifference) {
        func lines(_ content: RecordDifference.Content) -> [String] {
            content.records.map {
                "\(difference.owner) \(content.ttl) IN \(difference.type) \(difference.type.presentation(of: $0))"
            }.sorted()
        }
        let (before, after) = (lines(difference.before), lines(difference.after))
        self.init(
            name: "\(difference.owner)", type: "\(difference.type)", removed: before.filter { !after.contains($0) },
            added: after.filter { !before.contains($0) })
    }
}
