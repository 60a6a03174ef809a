import ConfigurationModel
package import DNSWire
package import Foundation
package import ModelCompiler
package import Resolution
package import Steering

/// Everything that is served, as one value. A command makes the next one beside it; only when both paths answer by that
/// does it take this one's place, so that a command that fails leaves nothing to undo here.
package struct Served: Sendable {
    package var loaded: LoadedModel
    /// RRsets that were changed one by one, by the origin of their zone.
    package var changes: [DomainName: ZoneChanges]
    package var settings: ProtocolSettings
    var slots: SlotTable
    /// Of the configuration that `loaded` was made of.
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

    /// The same with other versions of zones that stand where they stood.
    mutating func takeZones(of loaded: LoadedModel) { self.loaded = loaded }

    private static func secretFile(_ loaded: LoadedModel) -> FileStamp? {
        loaded.configuration.cookies.secretFile.flatMap { FileStamp($0.path) }
    }

    /// Whether what serves is of files as they are now.
    var isUpToDate: Bool {
        (stamp?.isUpToDate ?? true) && (secretFile?.isUpToDate ?? true) && loaded.isUpToDate
    }
}

/// What asked for a reload.
package enum ReloadTrigger: String, Sendable, CaseIterable {
    /// A request to the API.
    case command
    /// SIGHUP.
    case signal
    /// A file changed.
    case watch
}

/// What a reload did.
package struct ReloadOutcome: Sendable {
    package let trigger: ReloadTrigger
    /// Of the model in use now.
    package let epoch: UInt64
    package let digest: UInt64
    package let difference: ModelDifference
    package let path: PublicationPath
    /// Whether protocol options, switches of the fast path or rules of health differ.
    package let changesSettings: Bool
    /// What could not be taken over: its last good version serves on. Each with place and remedy.
    package let problems: [String]
    /// What is served, but hardly meant.
    package let warnings: [String]
    /// Reading and compiling, in seconds.
    package let loadSeconds: Double
    /// From the start to the last packet of the model before, in seconds.
    package let tookSeconds: Double

    package var changesAnything: Bool { difference.isAny || changesSettings }
}

/// The reloads so far.
package struct ReloadHistory: Hashable, Sendable {
    /// That changed something.
    package var changed = 0
    /// That found nothing to change.
    package var unchanged = 0
    /// That were refused as a whole.
    package var refused = 0
    /// Whether the last one was refused; `nil` before the first.
    package var lastIsRefused: Bool?
    package var lastAt: Date?
    /// Why the last one was refused, or what it could not take over.
    package var problems: [String] = []

    mutating func note(_ outcome: ReloadOutcome) {
        if outcome.changesAnything { changed += 1 } else { unchanged += 1 }
        (lastIsRefused, lastAt, problems) = (false, Date(), outcome.problems)
    }

    mutating func noteRefusal(_ problems: [String]) {
        refused += 1
        (lastIsRefused, lastAt, self.problems) = (true, Date(), problems)
    }
}
