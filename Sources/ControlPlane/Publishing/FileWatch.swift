import ConfigurationModel
package import Logging
import ModelCompiler
import ServiceLifecycle

/// Reloads when a file that the model was made of changes, or plans the change for somebody to apply (`watch: propose`).
///
/// Editors write by rename, so folders are watched. The reload itself finds what has changed; the watch only decides when to
/// reload: once nothing has happened for a tick, so that a file written in pieces, or many files, lead to one reload.
package struct FileWatch: Service {
    private let publisher: Publisher
    private let changes: ChangeBook
    private let source: any ModelSource
    private let state: StateCell
    private let logger: Logger

    package init(
        publisher: Publisher, changes: ChangeBook, source: any ModelSource, state: StateCell, logger: Logger
    ) {
        self.publisher = publisher
        self.changes = changes
        self.source = source
        self.state = state
        self.logger = logger
    }

    private static let tick = Duration.milliseconds(150)
    /// Ticks after which a reload is due although changes go on.
    private static let patience = 20

    package func run() async throws { try? await cancelWhenGracefulShutdown { try await follow() } }

    /// Files to watch; none when the configuration says so.
    private func files(_ state: DaemonState) -> WatchedFiles {
        let loaded = state.served.loaded
        guard loaded.configuration.watch != .ignore else { return WatchedFiles() }
        return source.files(of: loaded, refused: state.refused)
    }

    private func follow() async throws {
        let folders: WatchedFolders
        do { folders = try WatchedFolders() } catch {
            logger.warning("cannot watch files: changes need `nearcast reload`", metadata: ["error": "\(error)"])
            // A service that returns would end the others.
            return try await Task.sleep(for: .seconds(1 << 40))
        }
        var waited = 0
        var isPending = false
        var revision: Int?
        while true {
            // The sleep comes first, so that events are judged by the names that matter now.
            try await Task.sleep(for: Self.tick)
            let current = state.current
            if current.revision != revision {
                revision = current.revision
                folders.watch(files(current))
                // What changed between the reading and the watching.
                isPending = isPending || !current.isUpToDate
            }
            let isBusy = folders.hasChanged()
            isPending = isPending || isBusy
            guard isPending else { continue }
            waited += 1
            guard !isBusy || waited > Self.patience else { continue }
            (isPending, waited) = (false, 0)
            // The end of the service must not wait for a reload. A refusal becomes an event.
            Task { [publisher, changes] in
                switch current.served.loaded.configuration.watch {
                case .apply: _ = try? await publisher.reload(.watch)
                case .propose: await changes.propose()
                case .ignore: break
                }
            }
        }
    }
}
