package import ControlFailures
import Synchronization

/// The one place that knows which phase of its life the daemon is in. Every part reads it here.
package final class LifeCycle: Sendable {
    private let life = Mutex(DaemonLife())

    package init() {}

    package var current: DaemonLife { life.withLock { $0 } }

    package var phase: DaemonLife.Phase { current.phase }

    /// Makes a transition, and returns what it leads to.
    package func change<Outcome: Sendable>(_ body: (inout sending DaemonLife) -> sending Outcome) -> Outcome {
        life.withLock { body(&$0) }
    }

    package func ask(
        _ asking: ProcessIdentity, limit: Duration
    ) throws(ControlFailure) -> DaemonLife.Answer {
        try life.withLock { life -> Result<DaemonLife.Answer, ControlFailure> in
            Result { () throws(ControlFailure) in
                try life.ask(asking, at: .now, limit: limit, isAlive: \.isAlive)
            }
        }.get()
    }

    /// - Throws: when what is served cannot be changed now.
    package func requirePublishing() throws(ControlFailure) {
        if let refusal = current.publishingRefusal { throw refusal }
    }

    /// - Throws: when nodes' states cannot be changed now.
    package func requireNodeChanges() throws(ControlFailure) {
        if let refusal = current.nodeRefusal { throw refusal }
    }
}
