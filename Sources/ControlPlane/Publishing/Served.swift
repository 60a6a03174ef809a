import ConfigurationModel
import ControlFailures
package import DNSWire
import LinuxSupport
import Logging
package import ModelCompiler
package import Resolution
package import Steering
import Zones

/// Everything that is served, as one value. A command makes the next value next to it. That becomes the current one when
/// both paths answer from it, so a command that fails leaves nothing to undo here.
package struct Served: Sendable {
    package var loaded: LoadedModel
    /// RRsets that were changed one by one, by the origin of their zone.
    package var changes: [DomainName: ZoneChanges]
    package var settings: ProtocolSettings
    var slots: SlotTable
    /// The stamp of the configuration that `loaded` was made from.
    var stamp: (any RevisionStamp)?
    /// The file of the cookies' secrets, where the configuration names one.
    var secretFile: FileStamp?
    /// Indices in `loaded.zones` by origin.
    private(set) var places: [DomainName: Int]

    package init(
        loaded: LoadedModel, changes: [DomainName: ZoneChanges], settings: ProtocolSettings, slots: SlotTable,
        stamp: (any RevisionStamp)?
    ) {
        self.loaded = loaded
        self.changes = changes
        self.settings = settings
        self.slots = slots
        self.stamp = stamp
        secretFile = Self.secretFile(loaded)
        places = loaded.places
    }

    /// The same with another model, of a configuration that may be another.
    mutating func take(_ loaded: LoadedModel) {
        self.loaded = loaded
        places = loaded.places
        secretFile = Self.secretFile(loaded)
    }

    /// The same with other versions of zones, which keep their places.
    mutating func takeZones(of loaded: LoadedModel) { self.loaded = loaded }

    private static func secretFile(_ loaded: LoadedModel) -> FileStamp? {
        loaded.configuration.cookies.secretFile.flatMap { FileStamp($0.path) }
    }

    /// Whether the files have not changed since they were read.
    var isUpToDate: Bool {
        (stamp?.isUpToDate ?? true) && (secretFile?.isUpToDate ?? true) && loaded.isUpToDate
    }
}

extension Served {
    /// With the record changes of a round.
    ///
    /// - Returns: that, and the names that changed by the indices of their zones.
    func changed(by round: RecordRound) -> (next: Served, names: [Int: Set<[UInt8]>]) {
        let (loaded, names) = round.finish()
        var next = self
        next.takeZones(of: loaded)
        round.enter(into: &next.changes)
        return (next, names)
    }

    /// The record changes without some of one zone's, and how many RRsets were taken out. The addresses of aliases stay:
    /// they are not a caller's, and without them the name would have none until they are published again.
    ///
    /// - Parameters:
    ///   - owners: in lower case; empty: of all names.
    ///   - type: `nil`: of all types.
    func forgetting(
        _ zone: DomainName, _ owners: Set<[UInt8]>, _ type: RecordType?
    ) -> Result<([DomainName: ZoneChanges], count: Int), ControlFailure> {
        let aliases = loaded.configuration.aliasOwners
        return forgetting(zone) { key, _ in
            (owners.isEmpty || owners.contains(key.owner)) && (type == nil || type == key.type)
                && !(aliases.contains(key.owner) && (key.type == .a || key.type == .aaaa))
        }
    }

    /// The record changes without these of aliases, as far as they are still an alias's, and the alias is not configured
    /// again.
    func forgettingAliases(
        _ keys: Set<RRsetKey>, in zone: DomainName
    ) -> Result<([DomainName: ZoneChanges], count: Int), ControlFailure> {
        let aliases = loaded.configuration.aliasOwners
        return forgetting(zone) { key, set in
            set.isOfAlias && keys.contains(key) && !aliases.contains(key.owner)
        }
    }

    private func forgetting(
        _ zone: DomainName, where isForgotten: (RRsetKey, ZoneChanges.RRset) -> Bool
    ) -> Result<([DomainName: ZoneChanges], count: Int), ControlFailure> {
        guard let place = places[zone] else {
            guard changes[zone] != nil else { return .failure(RecordRequest.unknown(zone)) }
            return .success(changes.forgetting(zone, serial: nil, where: isForgotten))
        }
        // Secondaries see a change by its serial.
        return .success(changes.forgetting(zone, serial: loaded.zones[place].serial &+ 1, where: isForgotten))
    }

    /// How to answer by a configuration.
    func settings(
        for configuration: ServerConfiguration, buckets: RateBuckets, logger: Logger
    ) throws(ControlFailure) -> ProtocolSettings {
        do throws(StartupFailure) {
            return try ProtocolSettings(
                configuration, earlier: (loaded.configuration, settings), buckets: buckets, logger: logger)
        } catch { throw .revision(error.problems) }
    }
}

extension ServerConfiguration {
    /// The names of the aliases, in lower case.
    var aliasOwners: Set<[UInt8]> { Set(aliases.map(\.name.lowercasedWire)) }
}

extension LoadedModel {
    /// Places of zones by their origins.
    var places: [DomainName: Int] {
        Dictionary(zones.enumerated().map { ($0.element.origin, $0.offset) }) { first, _ in first }
    }
}
