package import ControlPlane
import Foundation
package import Logging
import ManagementClient
import ManagementTypes
import ServiceLifecycle

/// The successor's side of a takeover: a daemon that answers at the control path, which this one replaces.
///
///     load ── hold the predecessor ── bind beside it ── ask again ── links ── services answer ── ask again ── SIGTERM ──
///     its lock, its pins
///
/// When the predecessor refuses to be asked again, for it has waited too long and goes on, this process ends and leaves
/// everything to it.
/// Until the links are updated nothing has changed for a packet; from then on both processes answer what the program
/// declines, from models that were both right when they were made.
package struct Takeover: Service {
    /// How long a predecessor may take to end.
    private static let patience = Duration.seconds(60)

    private let hand: Hand
    private let fastPath: FastPathRunner
    private let events: EventStream
    private let logger: Logger

    package init(_ hand: Hand, fastPath: FastPathRunner, events: EventStream, logger: Logger) {
        self.events = events
        self.hand = hand
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

    /// Ends the predecessor once this process answers at the control path, and takes its place.
    private func finish() async throws {
        let own = ProcessInfo.processInfo.processIdentifier
        while await onOwnThread({ [path = hand.path] in try? ControlClient(path: path, timeoutSeconds: 2).status().pid }
        )
            != own
        {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await hand.renew()
        let pid = hand.predecessor
        hand.end()
        let start = ContinuousClock.now
        while await !fastPath.succeed() {
            guard ContinuousClock.now - start < Self.patience else {
                logger.error(
                    "the predecessor does not end: stop it, and restart this one",
                    metadata: ["pid": "\(pid)"])
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        events.append(.tookOver(predecessor: pid))
    }
}
