import ControlFailures
import DNSWire
import ModelLoader
import ServerConfiguration
import Serving
import Steering

/// One attempt to make a model of the files as they are now. Touches nothing that serves.
struct Loading: Sendable {
    let configuration: ServerConfiguration
    /// Of the configuration's file, taken before it was read.
    let file: FileStamp?
    let result: Result<(LoadedModel, SlotTable), ControlFailure>

    /// - Parameters:
    ///   - path: the configuration.
    ///   - changes: RRsets that were changed by themselves, by the origin of their zone.
    ///   - known: its file when the configuration of `earlier` was read: where it is the same it is not read again.
    /// - Throws: `invalid` when there is no configuration that could be served without a restart.
    init(
        _ path: String, unless known: FileStamp?, earlier: LoadedModel, slots: SlotTable,
        changes: [DomainName: ZoneChanges]
    ) throws(ControlFailure) {
        file = FileStamp(path)
        configuration =
            known?.isCurrent == true
            ? earlier.configuration : try Self.configuration(path, earlier.configuration)
        var slots = slots
        do throws(LoadProblem) {
            let next = try ModelLoader.load(
                configuration, epoch: earlier.model.epoch + 1, slots: &slots, earlier: earlier,
                changes: changes, effort: LoadingEffort(whenLong: LoadingThread.giveWay))
            result = .success((next, slots))
        } catch { result = .failure(Self.refusal(error.problems)) }
    }

    private static func configuration(
        _ path: String, _ earlier: ServerConfiguration
    ) throws(ControlFailure) -> ServerConfiguration {
        let configuration: ServerConfiguration
        do throws(ConfigurationError) { configuration = try ServerConfiguration.load(path: path) } catch {
            throw refusal(error.problems.map { "\($0)" })
        }
        let fixed = configuration.settingsFixed(since: earlier)
        guard fixed.isEmpty else { throw refusal(fixed.map { "\($0)" }, remedy: "restart nearcastd to change that") }
        return configuration
    }

    static func refusal(
        _ problems: [String], remedy: String = "all is served as before; correct it and reload"
    ) -> ControlFailure {
        ControlFailure(.invalid, problems.joined(separator: "\n"), remedy: remedy)
    }
}
