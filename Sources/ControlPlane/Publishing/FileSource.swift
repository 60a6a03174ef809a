package import ConfigurationModel
import ConfigurationYAML
package import ControlFailures
import Foundation
package import ModelCompiler
import Resolution

/// Reads configuration, zones and databases from files.
package struct FileSource: ModelSource {
    /// The configuration's path.
    package let path: String

    package init(path: String) { self.path = path }

    package func read(_ request: ReadRequest) throws(ControlFailure) -> Revision {
        let stamp = FileStamp(path)
        let earlier = request.earlier
        let configuration =
            request.stamp?.isCurrent == true ? earlier.configuration : try configuration(since: earlier.configuration)
        var slots = request.slots
        do throws(LoadProblem) {
            let loaded = try ModelCompiler.compile(
                configuration, epoch: earlier.model.epoch + 1, slots: &slots, earlier: earlier,
                changes: request.changes, effort: LoadingEffort(whenLong: LoadingThread.giveWay))
            return Revision(
                configuration: configuration, stamp: stamp, result: .success(.init(loaded: loaded, slots: slots)))
        } catch {
            return Revision(
                configuration: configuration, stamp: stamp, result: .failure(ControlFailure.revision(error.problems)))
        }
    }

    private func configuration(
        since earlier: ServerConfiguration
    ) throws(ControlFailure) -> ServerConfiguration {
        let configuration: ServerConfiguration
        do throws(ConfigurationError) { configuration = try ServerConfiguration.load(path: path) } catch {
            throw ControlFailure.revision(error.problems.map { "\($0)" })
        }
        let fixed = configuration.settingsFixed(since: earlier)
        guard fixed.isEmpty else {
            throw ControlFailure.revision(fixed.map { "\($0)" }, remedy: "restart nearcastd to change that")
        }
        return configuration
    }

    package func files(of loaded: LoadedModel, refused: ServerConfiguration?) -> [String] {
        func latencies(_ configuration: ServerConfiguration) -> [String] {
            configuration.policies.flatMap { $0.latency.map(\.path) }
        }
        var paths = [path] + loaded.geo.paths + loaded.zones.flatMap(\.paths)
        if let secretFile = loaded.configuration.cookies.secretFile { paths.append(secretFile.path) }
        paths += latencies(loaded.configuration)
        if let refused { paths += refused.zones.map(\.file) + refused.geo.paths + latencies(refused) }
        return paths
    }
}
