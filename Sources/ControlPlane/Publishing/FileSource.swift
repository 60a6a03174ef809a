package import ConfigurationModel
package import ConfigurationYAML
package import ControlFailures
import Foundation
package import ModelCompiler
import Resolution
import Synchronization

/// Reads configuration, zones and databases from files.
package final class FileSource: ModelSource {
    /// The configuration's path.
    package let path: String
    /// Of the configuration that was read last, valid or not.
    private let stamp: Mutex<ConfigurationStamp>

    /// - Parameter stamp: of the configuration as it was read at the start.
    package init(path: String, stamp: ConfigurationStamp) {
        self.path = path
        self.stamp = Mutex(stamp)
    }

    package func read(_ request: ReadRequest) throws(ControlFailure) -> Revision {
        let earlier = request.earlier
        let known = request.stamp.flatMap { $0.isCurrent ? $0 : nil }
        let (configuration, stamp) =
            if let known { (earlier.configuration, known) } else { try configuration(since: earlier.configuration) }
        var slots = request.slots
        do throws(LoadProblem) {
            let loaded = try ModelCompiler.compile(
                configuration, epoch: earlier.model.epoch + 1, slots: &slots, earlier: earlier,
                changes: request.changes, effort: LoadingEffort(whenLong: LoadingThread.giveWay))
            return Revision(
                configuration: configuration, stamp: stamp, result: .success(.init(loaded: loaded, slots: slots)),
                isConfigurationRead: known == nil)
        } catch {
            return Revision(
                configuration: configuration, stamp: stamp, result: .failure(ControlFailure.revision(error.problems)),
                isConfigurationRead: known == nil)
        }
    }

    private func configuration(
        since earlier: ServerConfiguration
    ) throws(ControlFailure) -> (ServerConfiguration, any RevisionStamp) {
        let reading = ServerConfiguration.read(path: path)
        stamp.withLock { $0 = reading.stamp }
        let configuration: ServerConfiguration
        do throws(ConfigurationError) { configuration = try reading.result.get() } catch {
            throw ControlFailure.revision(error.problems.map { "\($0)" })
        }
        let fixed = configuration.settingsFixed(since: earlier)
        guard fixed.isEmpty else {
            throw ControlFailure.revision(fixed.map { "\($0)" }, remedy: "restart nearcastd to change that")
        }
        return (configuration, reading.stamp)
    }

    package func files(of loaded: LoadedModel, refused: ServerConfiguration?) -> WatchedFiles {
        func latencies(_ configuration: ServerConfiguration) -> [String] {
            configuration.policies.flatMap { $0.latency.map(\.path) }
        }
        let stamp = stamp.withLock { $0 }
        var paths = stamp.paths + loaded.geo.paths + loaded.zones.flatMap(\.paths)
        if let secretFile = loaded.configuration.cookies.secretFile { paths.append(secretFile.path) }
        paths += latencies(loaded.configuration)
        if let refused { paths += refused.zones.map(\.file) + refused.geo.paths + latencies(refused) }
        return WatchedFiles(paths: paths, patterns: stamp.patterns)
    }
}
