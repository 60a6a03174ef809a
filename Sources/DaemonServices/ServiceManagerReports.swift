package import ControlPlane
import FastPathDriver
import Health
import LinuxSupport
package import Logging
import ModelCompiler
import Resolution
import ServiceLifecycle
import Synchronization

/// Reports to the service manager: a status line, reloads by a signal, that the process is alive, and that it stops. The
/// start has ended when ``announceReady()`` was called.
///
/// Alive means that the node controller answers: it is what moves clients away from nodes that fail. A process whose
/// controller hangs is restarted, and the kernel's tables go on answering meanwhile.
package struct ServiceManagerReports: Service {
    /// How often the status line is made when no watchdog asks for more.
    private static let pace = Duration.seconds(5)

    let manager: ServiceManager
    let state: StateCell
    let nodes: NodeController
    let logger: Logger
    private let phase = Phase()

    /// What the manager knows of the daemon.
    private final class Phase: Sendable {
        struct Contents {
            /// Whether the start has ended.
            var isReady = false
            /// Reloads by a signal that are under way.
            var reloads = 0
        }

        let contents = Mutex(Contents())
    }

    package init(
        _ manager: ServiceManager, state: StateCell, nodes: NodeController, logger: Logger
    ) {
        self.manager = manager
        self.state = state
        self.nodes = nodes
        self.logger = logger
    }

    /// Packets and requests are answered from now on.
    package func announceReady() {
        phase.contents.withLock { phase in
            phase.isReady = true
            do throws(SystemError) {
                try manager.send(.ready, .status(state.current.summary))
            } catch {
                logger.warning("service manager cannot be reached", metadata: ["error": "\(error)"])
            }
        }
    }

    /// A reload by a signal begins or ends. Before the start has ended nothing is sent: `READY=1` would end the start.
    package func report(_ step: ReloadSignals.Step) {
        // Sent under the lock, so that the last message says what is so.
        phase.contents.withLock { phase in
            switch step {
            case .begins:
                phase.reloads += 1
                guard phase.isReady else { return }
                try? manager.send(.reloading(monotonicMicroseconds: ServiceManager.monotonicMicroseconds))
            case .ended:
                phase.reloads -= 1
                guard phase.isReady, phase.reloads == 0 else { return }
                try? manager.send(.ready, .status(state.current.summary))
            }
        }
    }

    /// Whether a reload by a signal is under way.
    private var isReloading: Bool { phase.contents.withLock { $0.isReady && $0.reloads > 0 } }

    package func run() async throws {
        // Half of the interval, as sd_watchdog_enabled(3) advises.
        let pause = manager.watchdogInterval.map { min($0 / 2, Self.pace) } ?? Self.pace
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: pause)
                await nodes.answer()
                // A manager that is busy gets the next ones.
                try? manager.send(.status(state.current.summary))
                if manager.watchdogInterval != nil { try? manager.send(.alive) }
                // A reload has the time of a start, and may take longer.
                if isReloading { try? manager.send(.extended(StartLimit.added)) }
            }
        }
        try? manager.send(.stopping, .status("stopping"))
    }
}

extension DaemonState {
    /// One line for people: what is served, by how many usable nodes, and on which path.
    package var summary: String {
        let model = served.loaded.model
        var parts = [
            "\(Self.count(served.loaded.zones.count, "zone")), \(Self.count(model.tailored.count + model.tailoredRecords.count, "tailored name"))"
        ]
        if let nodes {
            let usable = nodes.entries.values.count { HealthState(word: nodes.word(of: $0)).isUsable }
            parts.append("\(usable) of \(Self.count(nodes.entries.count, "node")) usable")
        }
        let attached = fastPath.attachments.filter { $0.mode != nil }.map(\.interface)
        parts.append(attached.isEmpty ? "no fast path" : "fast path on \(attached.joined(separator: ", "))")
        if reloads.lastIsRefused == true { parts.append("the last reload was refused") }
        return parts.joined(separator: "; ")
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension NodeController {
    /// Returns when the controller has time for a caller.
    fileprivate func answer() {}
}
