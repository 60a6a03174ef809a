import ControlFailures
package import ControlPlane
import Foundation
package import Logging
import ManagementClient
import ManagementTypes

/// The predecessor's consent to a takeover: until the deadline, this process owns everything pinned, attached and
/// persisted.
package struct TakeoverLease: Sendable {
    /// Path of the control socket.
    package let path: String
    /// Process id of the predecessor.
    package let predecessor: Int32
    private let process: ProcessIdentity?
    /// Second path of the predecessor's socket, for renewals after this process has taken over `path`. `nil`: no
    /// renewal is needed.
    private let again: String?

    /// Whether a takeover was requested and a daemon answers at the control path.
    package static func isDue(_ isWanted: Bool, at path: String) async -> Bool {
        guard isWanted else { return false }
        return await onOwnThread { (try? ControlClient(path: path).status()) != nil }
    }

    /// Starts a takeover of the daemon at the control path, if one was requested and a daemon answers there.
    package static func takeIfDue(
        _ isWanted: Bool, at path: String, logger: Logger
    ) async throws(StartupFailure) -> TakeoverLease? {
        guard await isDue(isWanted, at: path) else { return nil }
        let lease = try await take(at: path)
        logger.notice("takeover started", metadata: ["predecessor": "\(lease.predecessor)"])
        return lease
    }

    /// Asks the daemon at the control path to freeze its state.
    private static func take(at path: String) async throws(StartupFailure) -> TakeoverLease {
        do throws(ControlFailure) {
            let report = try await ask(at: path)
            guard report.validSeconds == nil || report.path != nil else {
                throw ControlFailure(
                    .conflict, "the control socket cannot be linked to a second path, which the takeover needs",
                    remedy: "shorten the control path, or restart instead")
            }
            return TakeoverLease(
                path: path, predecessor: report.pid, process: ProcessIdentity(report.pid),
                again: report.validSeconds == nil ? nil : report.path)
        } catch {
            throw StartupFailure(["takeover: the daemon at \(path) refused the handover: \(error)"])
        }
    }

    /// Checks that the takeover is still valid before a step that cannot be undone, and restarts the deadline.
    ///
    /// - Throws: when the predecessor has resumed, or is gone and another daemon answers in its place.
    package func renew() async throws(StartupFailure) {
        guard let again else { return }
        if let process, process.isAlive {
            do throws(ControlFailure) {
                _ = try await Self.ask(at: again)
                return
            } catch {
                guard !process.isAlive else {
                    throw StartupFailure(["takeover: the predecessor (process \(predecessor)) has resumed: \(error)"])
                }
            }
        }
        // A predecessor that has ended needs nothing back, unless it was restarted meanwhile.
        let other = await onOwnThread { [path] in try? ControlClient(path: path, timeoutSeconds: 10).status().pid }
        guard let other, other != ProcessInfo.processInfo.processIdentifier else { return }
        throw StartupFailure([
            "takeover: the predecessor (process \(predecessor)) has ended, and process \(other) already answers at \(path)"
        ])
    }

    /// Ends the predecessor. A later process with the same id is left alone.
    package func end() {
        if let process, process.isAlive { kill(predecessor, SIGTERM) }
    }

    private static func ask(at path: String) async throws(ControlFailure) -> HandoverReport {
        let result = await onOwnThread { () -> Result<HandoverReport, ControlFailure> in
            do throws(ControlFailure) {
                let client = ControlClient(path: path, timeoutSeconds: 30)
                return .success(try client.handOver(HandoverRequest(pid: ProcessInfo.processInfo.processIdentifier)))
            } catch { return .failure(error) }
        }
        return try result.get()
    }
}
