package import Access
package import ControlFailures
package import ControlPlane
import FastPathDriver
import Foundation
import Health
package import HealthChecks
package import Logging
import ManagementClient
import ManagementServer
package import ManagementTypes
import ModelCompiler
import Resolution
package import StateStore
package import Steering
import Synchronization
package import Telemetry
import Zones

/// The operations of the management API, over the control plane. What only reads is a function of the state.
///
/// Before `begin` and after `end` every operation answers that the daemon is not ready.
package final class Operations: ControlHandling {
    /// What exists while the daemon runs.
    package struct Parts: Sendable {
        let life: LifeCycle
        let state: StateCell
        let events: EventStream
        let store: any StateStore
        let publisher: Publisher
        let nodes: NodeController
        let fastPath: FastPathRunner
        let slowPath: SlowPath
        let words: NodeWords
        let handover: HandoverController
        let prober: Prober
        let roundTrips: RoundTripLearner
        let limits: LimitsReport
        /// What the listeners counted.
        let listenerMetrics: @Sendable () -> [MetricSample]

        package init(
            life: LifeCycle, state: StateCell, events: EventStream, store: any StateStore, publisher: Publisher,
            nodes: NodeController, fastPath: FastPathRunner, slowPath: SlowPath, words: NodeWords,
            handover: HandoverController, prober: Prober, roundTrips: RoundTripLearner, limits: LimitsReport,
            listenerMetrics: @escaping @Sendable () -> [MetricSample]
        ) {
            self.life = life
            self.state = state
            self.events = events
            self.store = store
            self.publisher = publisher
            self.nodes = nodes
            self.fastPath = fastPath
            self.slowPath = slowPath
            self.words = words
            self.handover = handover
            self.prober = prober
            self.roundTrips = roundTrips
            self.limits = limits
            self.listenerMetrics = listenerMetrics
        }
    }

    let startedAt = Date()
    let logger: Logger
    private let running = Mutex<Parts?>(nil)

    package init(logger: Logger) { self.logger = logger }

    package func begin(_ parts: Parts) { running.withLock { $0 = parts } }

    package func end() { running.withLock { $0 = nil } }

    func parts() throws(ControlFailure) -> Parts {
        guard let parts = running.withLock({ $0 }) else { throw DaemonLife.notServing }
        return parts
    }

    /// What serves now.
    func served() throws(ControlFailure) -> LoadedModel { try parts().state.current.served.loaded }

    // MARK: - Nodes

    func view() throws(ControlFailure) -> NodesView {
        guard let view = try parts().state.current.nodes else { throw DaemonLife.notServing }
        return view
    }

    package func nodes() async throws(ControlFailure) -> [NodeReport] { try view().reports() }

    package func setNode(
        _ id: String, to change: NodeStateChange, by caller: Caller
    ) async throws(ControlFailure) -> NodeReport {
        let start = ContinuousClock.now
        let outcome = try await parts().nodes.apply(change.signed(by: caller).order(), to: .nodes([id]))
        let view = try view()
        guard let entry = view.entries[id] else { throw NodeController.unknown(id) }
        var report = view.report(entry)
        report.tookMicroseconds = (outcome.seenAt - start).seconds * 1e6
        return report
    }

    package func setNodes(
        _ change: NodesStateChange, by caller: Caller
    ) async throws(ControlFailure) -> NodesStateReport {
        let start = ContinuousClock.now
        let order = try change.change.signed(by: caller).order()
        let outcome = try await parts().nodes.apply(order, to: change.selection())
        let view = try view()
        let states = outcome.nodes.compactMap { id in
            view.entries[id].map { NodesStateReport.Node(id: id, state: NodeState(word: view.word(of: $0))) }
        }
        return NodesStateReport(
            nodes: states, changed: outcome.changed, tookMicroseconds: (outcome.seenAt - start).seconds * 1e6)
    }

    package func history(of id: String, limit: Int) async throws(ControlFailure) -> [TransitionReport] {
        let parts = try parts()
        // What has just happened is on its way to the disk. That a disk takes nothing is said elsewhere.
        _ = await parts.store.flush()
        let found: [NodeTransition]
        do { found = try await parts.store.history(of: id, limit: limit) } catch {
            throw ControlFailure(.internal, "the journal cannot be read: \(error)")
        }
        if found.isEmpty, try view().entries[id] == nil { throw NodeController.unknown(id) }
        return found.map { TransitionReport($0) }
    }

    private static let transitionsAtOnce = 1_024

    package func transitions(
        after sequence: UInt64?, waitSeconds: Int
    ) async throws(ControlFailure) -> TransitionsReport {
        let parts = try parts()
        guard let sequence else { return TransitionsReport(latest: parts.events.latest, transitions: []) }
        let deadline = ContinuousClock.now + .seconds(waitSeconds)
        // Up to here there is no transition that the caller lacks.
        var seen = sequence
        while true {
            let latest = parts.events.latest
            let found: [TransitionReport]
            if let recent = parts.events.recent(after: seen) {
                found = recent.compactMap { TransitionReport($0) }
            } else {
                do {
                    found = try await parts.store.changes(after: seen, limit: Self.transitionsAtOnce).map {
                        TransitionReport($0)
                    }
                } catch { throw ControlFailure(.internal, "the journal cannot be read: \(error)") }
            }
            // Who asks again with this number goes on behind what it has.
            if let last = found.last { return TransitionsReport(latest: last.sequence, transitions: found) }
            // Events of other kinds are passed over.
            seen = max(seen, latest)
            guard sequence <= latest, deadline > .now, parts.life.phase != .stopped, !Task.isCancelled,
                !parts.events.isClosed
            else { return TransitionsReport(latest: latest, transitions: []) }
            await parts.events.wait(after: seen, until: deadline)
        }
    }

    // MARK: - The daemon

    package func roundTrips() async throws(ControlFailure) -> RoundTripsReport {
        guard let report = await (try parts()).roundTrips.report else {
            throw ControlFailure(
                .notFound, "no round-trip times are learned here",
                remedy: "add rtt: {node: ID, ports: [443]} to the configuration")
        }
        return report
    }

    package func reload() async throws(ControlFailure) -> ReloadReport {
        ReloadReport(try await (try parts()).publisher.reload(.command))
    }

    package func detach() async throws(ControlFailure) -> DetachReport {
        let parts = try parts()
        // No "unavailable", which would send the command to the pins itself.
        guard parts.life.current.successor == nil else {
            throw ControlFailure(.conflict, DaemonLife.isHandingOver.message)
        }
        let attached = parts.state.current.fastPath.attachments.filter { $0.mode != nil }.map(\.interface)
        return DetachReport(interfaces: attached, removed: await parts.fastPath.stop())
    }

    package func handOver(
        _ request: HandoverRequest, by caller: Caller
    ) async throws(ControlFailure) -> HandoverReport {
        guard case .account(let account) = caller else {
            throw ControlFailure(.forbidden, "\(caller) cannot take over", remedy: "use the control socket")
        }
        let grant = try await (try parts()).handover.handOver(to: request.pid, peer: account.process)
        return HandoverReport(pid: getpid(), validSeconds: Double(grant.validSeconds), path: grant.path)
    }
}
