import ControlFailures
import FastPathDriver
import Glibc
import LinuxSupport
import ManagementTypes
import SystemPackage

/// Attachments and pins that a daemon left when it ended.
enum Leftovers {
    /// - Throws: `unavailable` without the permission to look or to remove.
    static func remove() throws(ControlFailure) -> DetachReport {
        // Without permission to look, the answer would be that nothing is there.
        if access(PinnedFastPath.standard.root, R_OK | W_OK | X_OK) != 0 {
            let refusal = SystemError.last("access")
            guard refusal.errno != .noSuchFileOrDirectory else { return DetachReport(interfaces: [], removed: []) }
            throw failure(refusal.reason)
        }
        do {
            guard let lock = try PinnedFastPath.standard.lock() else { throw heldByDaemon }
            defer { withExtendedLifetime(lock) {} }
            let interfaces = try PinnedFastPath.standard.linkedInterfaces()
            return DetachReport(interfaces: interfaces, removed: try PinnedFastPath.standard.removeAll())
        } catch let error as ControlFailure {
            throw error
        } catch {
            throw failure("\(error)")
        }
    }

    /// Only a running daemon removes its own pins, even if it does not answer.
    private static let heldByDaemon = ControlFailure(
        .conflict,
        "a nearcastd holds the pins below \(PinnedFastPath.standard.root), and does not answer at this socket",
        remedy: "give the control path of its configuration with --socket, or stop it first")

    private static func failure(_ reason: String) -> ControlFailure {
        ControlFailure(
            .unavailable,
            "no daemon is running, and the pins below \(PinnedFastPath.standard.root) cannot be removed: \(reason)",
            remedy: "use sudo nearcast detach")
    }
}
