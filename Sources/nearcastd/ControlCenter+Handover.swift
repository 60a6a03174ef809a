import Access
import ControlFailures
import Foundation
import Logging
import ManagementServer
import ManagementTypes
import ModelLoader
import ServerConfiguration

/// The predecessor's side of a takeover:
///
///     serving ── POST /v1/handover ──► held: answers, changes nothing ── SIGTERM ──► drains, and leaves all pinned
///        ▲                              │          │        ▲    │
///        │       successor is gone, or  │          │        └────┘ the same again, by the same process: the deadline
///        └─────── deadline has passed ──┘          │               starts again
///           (takes everything back)                │
///                                                  └── another process: refused
///
/// The hand is given to the process at the other end of the connection, as the kernel names it, and to no other. A
/// successor asks again right before each step that cannot be undone; one that is refused then, because it was stopped for
/// too long, ends and leaves its predecessor as it is.
extension ControlCenter {
    /// What is known of a takeover under way.
    struct Handover: Sendable {
        let successor: ProcessIdentity
        var deadline: ContinuousClock.Instant
        var socket: ControlSocketHold?
        /// The hand is being taken back: nobody gets it meanwhile.
        var isEnding = false
    }

    static let isHandingOver = ControlFailure(
        .unavailable, "another nearcastd is taking over", remedy: "try again in a moment")

    func handOver(_ request: HandoverRequest, by caller: Caller) async throws(ControlFailure) -> HandoverReport {
        let parts = try parts()
        let successor = try Self.successor(request, caller)
        if let handover {
            guard handover.successor == successor, !handover.isEnding else {
                throw ControlFailure(
                    .conflict, "another nearcastd is taking over already", remedy: "wait for its end")
            }
            self.handover?.deadline = .now + handoverLimit
            return report(handover.socket)
        }
        expired.removeAll { !$0.isAlive }
        // Its sockets share the addresses: with another one beside it queries would reach sockets that nobody reads.
        if let stuck = expired.first {
            throw ControlFailure(
                .conflict,
                "process \(stuck.pid) did not take over in time, its predecessor goes on, and it still has the addresses bound",
                remedy: "end process \(stuck.pid), then start another successor")
        }
        handover = Handover(successor: successor, deadline: .now + handoverLimit)
        // It binds the addresses next, and may be stopped before it reads.
        parts.keepAddresses(true)
        await parts.reloader.hold()
        await parts.registry.hold()
        await parts.fastPath.hold()
        // What was under way had to end first.
        handover?.deadline = .now + handoverLimit
        logger.notice("a successor takes over", metadata: ["pid": "\(successor.pid)"])
        let socket = ControlSocketHold(loaded.configuration.control.path)
        if socket == nil { logger.warning("the control socket cannot be kept for the case that the successor dies") }
        handover?.socket = socket
        Task { await self.watch(successor, parts, socket) }
        return report(socket)
    }

    private func report(_ socket: ControlSocketHold?) -> HandoverReport {
        HandoverReport(pid: getpid(), validSeconds: handoverLimit / .seconds(1), path: socket?.spare)
    }

    /// The process that asks for the hand: for itself, and not this one.
    private static func successor(
        _ request: HandoverRequest, _ caller: Caller
    ) throws(ControlFailure) -> ProcessIdentity {
        guard case .account(let account) = caller else {
            throw ControlFailure(.forbidden, "\(caller) cannot take over", remedy: "use the control socket")
        }
        let peer = account.process
        guard peer > 0, request.pid == peer, peer != getpid(), let successor = ProcessIdentity(peer) else {
            throw ControlFailure(
                .forbidden, "process \(request.pid) cannot take over: process \(peer) asks for it",
                remedy: "a successor asks for itself, from the PID namespace of this daemon")
        }
        return successor
    }

    /// Takes everything back when the successor ends before this daemon does, or does not go on in time.
    private func watch(_ successor: ProcessIdentity, _ parts: Parts, _ socket: ControlSocketHold?) async {
        // A daemon that was told to end drains in its own time: the successor has done its part.
        while successor.isAlive, let handover, isLeaving || handover.deadline > .now {
            try? await Task.sleep(for: .milliseconds(50))
        }
        handover?.isEnding = true
        let isAlive = successor.isAlive
        if isAlive {
            expired.append(successor)
            expiredHandovers += 1
            logger.error(
                "the successor does not take over in time: this daemon goes on; end the successor",
                metadata: ["pid": "\(successor.pid)", "seconds": "\(handoverLimit / .seconds(1))"])
        } else {
            logger.warning("the successor is gone: this daemon goes on", metadata: ["pid": "\(successor.pid)"])
        }
        socket?.restore(isLast: !isAlive)
        await takeBack(parts)
        handover = nil
        if isAlive { await outlive(successor, parts, socket) } else { parts.keepAddresses(false) }
    }

    private func takeBack(_ parts: Parts) async {
        await parts.fastPath.release()
        await parts.registry.release()
        await parts.reloader.release()
    }

    /// A successor that was stopped in the middle of a step ends that step when it goes on, before it learns that it is too
    /// late: it may put its own socket in the place, update a link, or write the states that it read. So all is taken back
    /// once more when it is gone. Until then its sockets share the addresses, and get nothing.
    private func outlive(_ successor: ProcessIdentity, _ parts: Parts, _ socket: ControlSocketHold?) async {
        while successor.isAlive, running != nil { try? await Task.sleep(for: .milliseconds(50)) }
        guard running != nil else { return }
        socket?.restore(isLast: true)
        // The next one has the hand: it reads what this process last wrote, and goes on with its own.
        guard handover == nil else { return }
        await takeBack(parts)
        if handover == nil { parts.keepAddresses(false) }
    }
}
