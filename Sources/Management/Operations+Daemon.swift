package import Access
package import ControlFailures
import ControlPlane
import FastPathDriver
import Glibc
import HealthChecks
import Logging
package import ManagementTypes

/// The daemon itself: reload, detach and attach, handover.
extension Operations {
    package func reload(by caller: Caller) async throws(ControlFailure) -> ReloadReport {
        let parts = try parts()
        log(.info, "reload requested", by: caller)
        return ReloadReport(try await parts.publisher.reload(.command))
    }

    package func previewReload(by caller: Caller) async throws(ControlFailure) -> ManagementTypes.ReloadPreview {
        log(.debug, "reload preview requested", by: caller)
        return ManagementTypes.ReloadPreview(try await parts().publisher.previewReload())
    }

    package func detach(by caller: Caller) async throws(ControlFailure) -> DetachReport {
        let parts = try parts()
        let attached = parts.state.current.fastPath.attachments.filter { $0.mode != nil }.map(\.interface)
        log(.notice, "detach requested", ["interfaces": "\(attached.joined(separator: " "))"], by: caller)
        return DetachReport(interfaces: attached, removed: try await parts.fastPath.stop())
    }

    package func attach(by caller: Caller) async throws(ControlFailure) -> AttachReport {
        let parts = try parts()
        log(.notice, "attach requested", by: caller)
        if await parts.fastPath.isDetached {
            try await parts.publisher.attach()
        } else {
            try await parts.fastPath.attachInterfaces()
        }
        return AttachReport(interfaces: parts.state.current.fastPath.reports)
    }

    package func handOver(
        _ request: HandoverRequest, by caller: Caller
    ) async throws(ControlFailure) -> HandoverReport {
        guard case .account(let account) = caller else {
            throw ControlFailure(.forbidden, "\(caller) cannot take over", remedy: "use the control socket")
        }
        let parts = try parts()
        // A successor asks again and again until it is ready; the first time is logged.
        if parts.life.current.successor == nil {
            log(.notice, "handover requested", ["pid": "\(request.pid)"], by: caller)
        }
        let grant = try await parts.handover.handOver(to: request.pid, peer: account.process)
        return HandoverReport(pid: getpid(), validSeconds: Double(grant.validSeconds), path: grant.path)
    }

    /// Logs a request that changes something, with the caller in `by`, and with what the caller says of itself and its
    /// reasons in `author` and `reason`.
    func log(
        _ level: Logger.Level, _ phrase: Logger.Message, _ facts: Logger.Metadata = [:], by caller: Caller,
        author: String? = nil, reason: String? = nil
    ) {
        var metadata = facts
        metadata["by"] = "\(caller)"
        if let author { metadata["author"] = "\(author)" }
        if let reason { metadata["reason"] = "\(reason)" }
        logger.log(level: level, phrase, metadata: metadata)
    }
}
