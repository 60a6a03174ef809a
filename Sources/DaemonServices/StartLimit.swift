import Foundation
import LinuxSupport

/// Extends the time that the service manager gives a start, while files are read and compiled: a large database or many
/// zones may take longer than `TimeoutStartSec=`. The thread that loads is busy, so this has one of its own.
///
/// Without a free thread, the configured time applies.
package final class StartLimit: Sendable {
    /// How often more time is asked for. The first time comes before any sensible limit.
    package static let pace = Duration.seconds(5)
    /// How much each time.
    package static let added = Duration.seconds(30)

    private let manager: ServiceManager
    private let condition = NSCondition()
    /// Guarded by `condition`.
    private nonisolated(unsafe) var hasEnded = false

    package init(_ manager: ServiceManager, pace: Duration = StartLimit.pace) {
        self.manager = manager
        try? startThread(named: "start limit", stackBytes: 512 << 10) { self.extend(every: pace) }
    }

    private func extend(every pace: Duration) {
        condition.lock()
        defer { condition.unlock() }
        while !hasEnded {
            let isPause = !condition.wait(until: Date(timeIntervalSinceNow: pace / .seconds(1)))
            // A manager that is busy gets the next one.
            if isPause, !hasEnded { try? manager.send(.extended(Self.added), .status("loading")) }
        }
    }

    /// Nothing is sent after this returns: the manager would count it against the running service.
    package func end() {
        condition.lock()
        defer { condition.unlock() }
        hasEnded = true
        condition.signal()
    }
}
