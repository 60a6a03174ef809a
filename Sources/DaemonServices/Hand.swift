import ControlFailures
package import ControlPlane
import Foundation
package import Logging
import ManagementClient
import ManagementTypes

/// What a predecessor has given to this process: everything that is pinned, attached and kept, until the deadline.
package struct Hand: Sendable {
    /// Of the control socket.
    package let path: String
    /// The predecessor's process.
    package let predecessor: Int32
    private let process: ProcessIdentity?
    /// Where the predecessor can be asked again, when this process answers at `path` already; `nil`: it need not be asked.
    private let again: String?

    /// Takes the place of the daemon at the control path, if that is wanted and one answers there.
    package static func takeIfDue(
        _ isWanted: Bool, at path: String, logger: Logger
    ) async throws(StartupFailure) -> Hand? {
        guard isWanted, await onOwnThread({ (try? ControlClient(path: path).status()) != nil }) else { return nil }
        let hand = try await take(at: path)
        logger.notice("takes over", metadata: ["predecessor": "\(hand.predecessor)"])
        return hand
    }

    /// Makes the daemon at the control path leave everything as it is.
    private static func take(at path: String) async throws(StartupFailure) -> Hand {
        do throws(ControlFailure) {
            let report = try await ask(at: path)
            guard report.validSeconds == nil || report.path != nil else {
                throw ControlFailure(
                    .conflict, "its socket cannot be given a second name, by which it would be asked again",
                    remedy: "shorten the control path, or restart instead")
            }
            return Hand(
                path: path, predecessor: report.pid, process: ProcessIdentity(report.pid),
                again: report.validSeconds == nil ? nil : report.path)
        } catch {
            throw StartupFailure(["takeover: the daemon at \(path) does not hand over: \(error)"])
        }
    }

    /// Asks whether the hand is this process's still, before something that cannot be undone; the deadline starts again.
    ///
    /// - Throws: when the predecessor has taken it back, or is gone and another daemon answers in its place.
    package func renew() async throws(StartupFailure) {
        guard let again else { return }
        if let process, process.isAlive {
            do throws(ControlFailure) {
                _ = try await Self.ask(at: again)
                return
            } catch {
                guard !process.isAlive else {
                    throw StartupFailure(["takeover: the predecessor (process \(predecessor)) goes on: \(error)"])
                }
            }
        }
        // It needs nothing back, unless it was started again meanwhile.
        let other = await onOwnThread { [path] in try? ControlClient(path: path, timeoutSeconds: 10).status().pid }
        guard let other, other != ProcessInfo.processInfo.processIdentifier else { return }
        throw StartupFailure([
            "takeover: the predecessor (process \(predecessor)) has ended, and process \(other) answers at \(path) already"
        ])
    }

    /// Ends the predecessor, and no later process of its number.
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
