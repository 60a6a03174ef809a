import ControlFailures
import FastPathDriver
import Glibc
import LinuxSupport
import ManagementTypes
import SystemPackage

/// What a daemon that is gone left attached and pinned.
enum Leftovers {
    /// - Throws: `unavailable` without the permission to look or to remove.
    static func remove() throws(ControlFailure) -> DetachReport {
        // A user who may not look would otherwise hear that nothing is there.
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

    /// Pins of a living daemon are its own to remove, even when it does not answer.
    private static let heldByDaemon = ControlFailure(
        .conflict, "a nearcastd holds what is pinned below \(PinnedFastPath.standard.root), but not with this socket",
        remedy: "give the control path of its configuration with --socket, or stop it first")

    private static func failure(_ reason: String) -> ControlFailure {
        ControlFailure(
            .unavailable,
            "no daemon is running, and what is pinned below \(PinnedFastPath.standard.root) cannot be removed: \(reason)",
            remedy: "run it as root: sudo nearcast detach")
    }
}
