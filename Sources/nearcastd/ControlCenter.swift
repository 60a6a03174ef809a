import Access
import CFastPathABI
import ControlFailures
import FastPath
import Foundation
import HealthChecks
import Logging
import ManagementServer
import ManagementTypes
import MapWriter
import ModelLoader
import Serving
import Steering

/// What the control socket asks for, over everything the daemon has.
///
/// Before `begin` and after `end` it answers that the daemon is not ready.
actor ControlCenter: ControlHandling {
    /// What exists while the daemon runs.
    struct Parts: Sendable {
        let registry: NodeRegistry
        let answering: Answering
        let fastPath: FastPathRunner
        let words: NodeWords
        let transports: Transports
        let reloader: Reloader
        let prober: Prober
        let reports: ReportTransport?
        let roundTrips: RoundTripLearner

        /// Keeps all that clients send from a successor that has bound the addresses and may be stopped, or shares the
        /// addresses with it again.
        func keepAddresses(_ keeps: Bool) {
            transports.keepAddresses(keeps)
            reports?.keepAddresses(keeps)
        }
    }

    /// What serves now.
    private(set) var loaded: LoadedModel
    let startedAt = Date()
    let logger: Logger
    private(set) var running: Parts?
    /// A takeover under way.
    var handover: Handover?
    /// Successors that lost the hand for taking too long, and live.
    var expired: [ProcessIdentity] = []
    var expiredHandovers: UInt64 = 0
    /// This daemon was told to end.
    private(set) var isLeaving = false
    let limits: ServingLimits
    /// How long a successor may take from one request for the hand to the next, or to the end.
    let handoverLimit: Duration

    init(loaded: LoadedModel, limits: ServingLimits, handoverLimit: Duration, logger: Logger) {
        self.loaded = loaded
        self.limits = limits
        self.handoverLimit = handoverLimit
        self.logger = logger
    }

    var model: ServingModel { loaded.model }

    /// Another model serves.
    func use(_ loaded: LoadedModel) { self.loaded = loaded }

    func begin(_ parts: Parts) { running = parts }

    func leave() { isLeaving = true }

    /// - Parameter detaching: takes the program off, unless a successor has it.
    func end(detaching: Bool) async {
        if detaching, handover == nil { await running?.fastPath.stop() }
        running = nil
    }

    func parts() throws(ControlFailure) -> Parts {
        guard let running else {
            throw ControlFailure(.unavailable, "the daemon is starting or stopping", remedy: "try again in a moment")
        }
        return running
    }

    func nodes() async throws(ControlFailure) -> [NodeReport] { await (try parts()).registry.reports() }

    func setNode(
        _ id: String, to change: NodeStateChange, by caller: Caller
    ) async throws(ControlFailure) -> NodeReport {
        let report = try await (try parts()).registry.set(id, to: change.signed(by: caller))
        logger.notice(
            "node set",
            metadata: [
                "node": "\(id)", "wish": "\(change.state.rawValue)", "state": "\(report.state.rawValue)",
                "by": "\(report.setBy ?? "")",
            ])
        return report
    }

    func setNodes(_ change: NodesStateChange, by caller: Caller) async throws(ControlFailure) -> NodesStateReport {
        var change = change
        change.change = try change.change.signed(by: caller)
        let report = try await (try parts()).registry.set(change)
        logger.notice(
            "nodes set",
            metadata: [
                "nodes": "\(report.nodes.count)", "wish": "\(change.change.state.rawValue)",
                "changed": "\(report.changed)", "by": "\(change.change.author ?? "")",
            ])
        return report
    }

    func history(of id: String, limit: Int) async throws(ControlFailure) -> [TransitionReport] {
        try await (try parts()).registry.history(of: id, limit: limit)
    }

    func transitions(
        after sequence: UInt64?, waitSeconds: Int
    ) async throws(ControlFailure) -> TransitionsReport {
        try await (try parts()).registry.transitions(after: sequence, waitSeconds: waitSeconds)
    }

    func roundTrips() async throws(ControlFailure) -> RoundTripsReport {
        guard let report = await (try parts()).roundTrips.report else {
            throw ControlFailure(
                .notFound, "no round-trip times are learned here",
                remedy: "add rtt: {node: ID, ports: [443]} to the configuration")
        }
        return report
    }

    func reload() async throws(ControlFailure) -> ReloadReport {
        try await (try parts()).reloader.reload(.command)
    }

    func detach() async throws(ControlFailure) -> DetachReport {
        let fastPath = try parts().fastPath
        // No "unavailable", which would send the command to the pins itself.
        guard handover == nil else { throw ControlFailure(.conflict, Self.isHandingOver.message) }
        let before = await fastPath.snapshot()
        let removed = await fastPath.stop()
        return DetachReport(
            interfaces: before.attachments.filter { $0.mode != nil }.map(\.interface), removed: removed)
    }
}

extension NodeStateChange {
    /// The change with the author that is recorded: the caller, and what it says about itself and its reasons.
    ///
    /// - Throws: `invalid` if that may not be recorded.
    fileprivate func signed(by caller: Caller) throws(ControlFailure) -> NodeStateChange {
        try Remark.require(("author", author), ("reason", reason))
        var change = self
        (change.author, change.reason) = (caller.author(remarks: author, reason), nil)
        return change
    }
}
