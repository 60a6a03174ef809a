import ControlAPI
import Foundation

/// What a predecessor has given to this process: everything that is pinned, attached and kept, until the deadline.
struct Hand: Sendable {
    /// Of the control socket.
    let path: String
    /// The predecessor's process.
    let predecessor: Int32
    /// Where the predecessor can be asked again, when this process answers at `path` already; `nil`: it need not be asked.
    private let again: String?

    /// Makes the daemon at the control path leave everything as it is.
    static func take(at path: String) async throws(StartupFailure) -> Hand {
        do throws(ControlFailure) {
            let report = try await ask(at: path)
            return Hand(
                path: path, predecessor: report.pid, again: report.validSeconds == nil ? nil : report.path ?? path)
        } catch {
            throw StartupFailure(["takeover: the daemon at \(path) does not hand over: \(error)"])
        }
    }

    /// Asks whether the hand is this process's still, before something that cannot be undone; the deadline starts again.
    ///
    /// - Throws: when the predecessor has taken it back. One that is gone needs nothing back.
    func renew() async throws(StartupFailure) {
        guard let again, let process = ProcessIdentity(predecessor) else { return }
        do throws(ControlFailure) { _ = try await Self.ask(at: again) } catch {
            guard process.isAlive else { return }
            throw StartupFailure(["takeover: the predecessor (process \(predecessor)) goes on: \(error)"])
        }
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
