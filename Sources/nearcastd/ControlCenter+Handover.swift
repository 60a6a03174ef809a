import ControlAPI
import Foundation
import Logging
import ModelLoader
import ServerConfiguration

/// The predecessor's side of a takeover:
///
///     serving ── POST /v1/handover ──► held: answers, changes nothing ── SIGTERM ──► drains, and leaves all pinned
///        ▲                                       │
///        └──────── successor's process is gone ──┘
extension ControlCenter {
    static let isHandingOver = ControlFailure(
        .unavailable, "another nearcastd is taking over", remedy: "try again in a moment")

    func handOver(_ request: HandoverRequest) async throws(ControlFailure) -> HandoverReport {
        let parts = try parts()
        guard successor == nil else {
            throw ControlFailure(.conflict, "another nearcastd is taking over already", remedy: "wait for its end")
        }
        guard request.pid > 0, Self.isAlive(request.pid) else {
            throw ControlFailure(
                .invalid, "there is no process \(request.pid)",
                remedy: "start the successor in the PID namespace of this daemon")
        }
        successor = request.pid
        await parts.reloader.hold()
        await parts.registry.hold()
        await parts.fastPath.hold()
        logger.notice("a successor takes over", metadata: ["pid": "\(request.pid)"])
        let socket = ControlSocketHold(loaded.configuration.control.path)
        if socket == nil { logger.warning("the control socket cannot be kept for the case that the successor dies") }
        Task { await self.watch(request.pid, parts, socket) }
        return HandoverReport(pid: getpid())
    }

    /// Whether the process runs; one that has ended, and that its parent has not taken note of yet (proc(5): state Z), does
    /// not.
    private static func isAlive(_ pid: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = status.lastIndex(of: ")")
        else { return false }
        return !status[end...].dropFirst(2).hasPrefix("Z")
    }

    /// Takes everything back when the successor ends before this daemon does.
    private func watch(_ pid: Int32, _ parts: Parts, _ socket: ControlSocketHold?) async {
        while Self.isAlive(pid) { try? await Task.sleep(for: .milliseconds(50)) }
        socket?.restore()
        logger.warning("the successor is gone: this daemon goes on", metadata: ["pid": "\(pid)"])
        await parts.fastPath.release()
        await parts.registry.release()
        await parts.reloader.release()
        successor = nil
    }
}
