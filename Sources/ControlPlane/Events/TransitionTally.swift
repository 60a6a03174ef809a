import StateStore
import Synchronization

/// Counts the changes of nodes' states since the start, by node and new state.
package final class TransitionTally: Sendable {
    private let counts = Mutex<[String: [String: UInt64]]>([:])

    package init() {}

    /// A subscriber of the events.
    package func write(_ events: [Event]) {
        counts.withLock { counts in
            for case let transition? in events.lazy.map(\.transition) {
                counts[transition.node, default: [:]][transition.to, default: 0] += 1
            }
        }
    }

    /// Changes of a node to a state.
    package func count(of node: String, to state: String) -> UInt64 {
        counts.withLock { $0[node]?[state] ?? 0 }
    }
}
