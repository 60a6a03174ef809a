package import ConfigurationModel
import ConfigurationYAML
package import ControlFailures
package import DNSWire
package import ModelCompiler
package import Steering

/// Where the desired state comes from: a configuration, and the zones and data that it names.
///
/// Implementations: ``FileSource``. A source only reads; the publisher decides what to do with the result.
package protocol ModelSource: Sendable {
    /// Reads what is desired now and compiles it. Takes seconds where much has changed: it is called on a thread of its
    /// own, at the lowest priority that answers leave.
    ///
    /// - Throws: `invalid` when there is no configuration that could be served without a restart.
    func read(_ request: ReadRequest) throws(ControlFailure) -> Revision

    /// What asks for a reload when it changes.
    ///
    /// - Parameters:
    ///   - loaded: what is served.
    ///   - refused: a configuration that could not be loaded last time. The files that it lacks may appear.
    func files(of loaded: LoadedModel, refused: ServerConfiguration?) -> WatchedFiles
}

/// Files whose change asks for a reload.
package struct WatchedFiles: Sendable {
    package var paths: [String]
    /// Paths whose last component has wildcards: files that match may come and go.
    package var patterns: [String]

    package init(paths: [String] = [], patterns: [String] = []) {
        self.paths = paths
        self.patterns = patterns
    }
}

/// What a source needs to know to read only what has changed.
package struct ReadRequest: Sendable {
    /// What is served now. What has not changed since is taken from it.
    package let earlier: LoadedModel
    /// Slots of nodes known so far.
    package let slots: SlotTable
    /// RRsets that were changed one by one, by the origin of their zone.
    package let changes: [DomainName: ZoneChanges]
    /// The stamp of the configuration of `earlier`. If it is current, the configuration is not read again.
    package let stamp: (any RevisionStamp)?
}

/// The result of reading the desired state once. Nothing that is served has changed.
package struct Revision: Sendable {
    package let configuration: ServerConfiguration
    /// Taken before the configuration was read.
    package let stamp: (any RevisionStamp)?
    package let result: Result<Compiled, ControlFailure>
    /// Whether the configuration was read again; if not, it is that of the request.
    package let isConfigurationRead: Bool

    package struct Compiled: Sendable {
        package let loaded: LoadedModel
        package let slots: SlotTable

        package init(loaded: LoadedModel, slots: SlotTable) {
            self.loaded = loaded
            self.slots = slots
        }
    }

    package init(
        configuration: ServerConfiguration, stamp: (any RevisionStamp)?, result: Result<Compiled, ControlFailure>,
        isConfigurationRead: Bool = true
    ) {
        self.isConfigurationRead = isConfigurationRead
        self.configuration = configuration
        self.stamp = stamp
        self.result = result
    }
}

/// Tells whether a configuration is still the one that was read.
package protocol RevisionStamp: Sendable {
    /// Whether this is certain; in doubt, false.
    var isCurrent: Bool { get }
    /// Whether nothing suggests that it has changed.
    var isUpToDate: Bool { get }
}

extension ConfigurationStamp: RevisionStamp {}
