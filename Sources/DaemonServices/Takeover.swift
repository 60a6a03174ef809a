package import ControlPlane
import Foundation
package import Logging
import ManagementClient
import ManagementTypes
import ServiceLifecycle

/// The successor's side of a takeover: this process replaces the daemon that answers at the control path.
///
///     hold the predecessor ── bind alongside it ── renew ── update links ── start services ── renew ──
///     SIGTERM ── take its lock, remove its pins
///
/// If the predecessor refuses a renewal, because it has waited too long and has resumed, this process ends and leaves
/// everything to it. Until the links are updated, nothing changes for a packet. After that both processes answer what
/// the program declines, from models that were both correct when they were built.
package struct Takeover: Service {
    /// How long the predecessor may take to end.
    private static let patience = Duration.seconds(60)

    private let lease: TakeoverLease
    private let fastPath: FastPathRunner
    private let events: EventStream
    private let logger: Logger

    package init(_ lease: TakeoverLease, fastPath: FastPathRunner, events: EventStream, logger: Logger) {
        self.events = events
        self.lease = lease
        self.fastPath = fastPath
        self.logger = logger
    }

    package func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await finish()
                // A service that returns would end the others.
                try await Task.sleep(for: .seconds(1 << 40))
            }
        } catch is CancellationError {}
    }

    /// Ends the predecessor once this process answers at the control path, then takes over its lock and pins.
    private func finish() async throws {
        let own = ProcessInfo.processInfo.processIdentifier
        let path = lease.path
        while await onOwnThread({ try? ControlClient(path: path, timeoutSeconds: 2).status().pid }) != own {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await lease.renew()
        let pid = lease.predecessor
        lease.end()
        let start = ContinuousClock.now
        while await !fastPath.succeed() {
            guard ContinuousClock.now - start < Self.patience else {
                logger.error(
                    "takeover incomplete, predecessor still running",
                    metadata: ["pid": "\(pid)", "remedy": "stop the predecessor, then restart this daemon"])
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        events.append(.tookOver(predecessor: pid))
    }
}
