import ControlFailures
package import ControlPlane
import Foundation
package import HealthChecks
package import Logging
import ManagementServer
package import ManagementTypes
import ModelCompiler
package import StateStore
package import Steering
import Synchronization
package import Telemetry

/// The operations of the management API, over the control plane. What only reads is a function of a snapshot of the state:
/// ``StatusBuilder``, ``MetricsBuilder``, ``Explainer``, ``Inspector``.
///
/// Before `begin` and after `end` every operation answers that the daemon is not ready.
package final class Operations: ControlHandling {
    /// The daemon's parts, which exist while it runs.
    package struct Parts: Sendable {
        let life: LifeCycle
        let state: StateCell
        let events: EventStream
        let store: any StateStore
        let publisher: Publisher
        let changes: ChangeBook
        let nodes: NodeController
        let fastPath: FastPathRunner
        let slowPath: SlowPath
        let words: NodeWords
        let handover: HandoverController
        let prober: Prober
        let roundTrips: RoundTripLearner
        let limits: LimitsReport
        let transitions: TransitionTally
        /// Counters of the listeners.
        let listenerMetrics: @Sendable () -> [MetricSample]

        package init(
            life: LifeCycle, state: StateCell, events: EventStream, store: any StateStore, publisher: Publisher,
            changes: ChangeBook, nodes: NodeController, fastPath: FastPathRunner, slowPath: SlowPath, words: NodeWords,
            handover: HandoverController, prober: Prober, roundTrips: RoundTripLearner, limits: LimitsReport,
            transitions: TransitionTally, listenerMetrics: @escaping @Sendable () -> [MetricSample]
        ) {
            self.life = life
            self.state = state
            self.events = events
            self.store = store
            self.publisher = publisher
            self.changes = changes
            self.nodes = nodes
            self.fastPath = fastPath
            self.slowPath = slowPath
            self.words = words
            self.handover = handover
            self.prober = prober
            self.roundTrips = roundTrips
            self.limits = limits
            self.transitions = transitions
            self.listenerMetrics = listenerMetrics
        }
    }

    let startedAt = Date()
    let logger: Logger
    private let running = Mutex<Parts?>(nil)

    package init(logger: Logger) { self.logger = logger }

    package func begin(_ parts: Parts) { running.withLock { $0 = parts } }

    package func end() { running.withLock { $0 = nil } }

    package var isServing: Bool { running.withLock { $0 != nil } }

    func parts() throws(ControlFailure) -> Parts {
        guard let parts = running.withLock({ $0 }) else { throw DaemonLife.notServing }
        return parts
    }

    /// The model that serves.
    func served() throws(ControlFailure) -> LoadedModel { try parts().state.current.served.loaded }

    func view() throws(ControlFailure) -> NodesView {
        guard let view = try parts().state.current.nodes else { throw DaemonLife.notServing }
        return view
    }
}
