import CFastPathABI
package import Steering
import Synchronization
import Telemetry

/// Answers of user space that led to each node: one addition for an answer, without a lock.
package final class NodeTally: Sendable {
    private let cells = CounterTable(count: Int(NC_MAX_NODES))
    /// The hash of the id of each slot's node.
    private let owners = Mutex<[Int: UInt64]>([:])

    package init() {}

    package func count(_ slot: Int) { cells.add(to: slot) }

    /// Sets the counters of slots to zero that belong to another node from now on. A node keeps its slot as long as any
    /// generation refers to it, so no answer counts there.
    package func assign(_ nodes: [SteeringNode]) {
        owners.withLock { owners in
            for node in nodes where owners[node.slot] != node.idHash {
                cells.reset(node.slot)
                owners[node.slot] = node.idHash
            }
        }
    }

    /// Answers that led to the node of a slot.
    package subscript(slot: Int) -> UInt64 { cells[slot] }
}
