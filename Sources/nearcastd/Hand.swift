import ControlFailures
import Foundation
import ManagementClient
import ManagementTypes

/// What a predecessor has given to this process: everything that is pinned, attached and kept, until the deadline.
struct Hand: Sendable {
    /// Of the control socket.
    let path: String
    /// The predecessor's process.
    let predecessor: Int32
    private let process: ProcessIdentity?
    /// Where the predecessor can be asked again, when this process answers at `path` already; `nil`: it need not be asked.
    private let again: String?

    /// Makes the daemon at the control path leave everything as it is.
    static func take(at path: String) async throws(StartupFailure) -> Hand {
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
    func renew() async throws(StartupFailure) {
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
    func end() {
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
