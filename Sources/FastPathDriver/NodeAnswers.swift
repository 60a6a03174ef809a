import BPFRuntime
import Steering

/// The program's counters of answers by node, one for each slot and CPU.
///
/// A slot that passes to another node starts at zero. That is safe: a node keeps its slot as long as any generation refers
/// to it, so no packet counts there.
struct NodeAnswers {
    let map: BPFMap
    /// The hash of the id of each slot's node, as far as it is known.
    private(set) var owners: [Int: UInt64]

    /// - Parameter owners: whose counts the map has.
    init(_ map: BPFMap, owners: [Int: UInt64] = [:]) {
        self.map = map
        self.owners = owners
    }

    /// Sets the counters of slots to zero that belong to another node from now on.
    mutating func assign(_ nodes: [SteeringNode]) throws {
        let processors = try BPFMap.possibleCPUs
        let none = [[UInt8]](repeating: [UInt8](repeating: 0, count: map.valueSize), count: processors)
        for node in nodes where owners[node.slot] != node.idHash {
            if owners[node.slot] != nil { try map.updatePerCPU(index: UInt32(node.slot), none) }
            owners[node.slot] = node.idHash
        }
    }

    /// Answers that led to the node of a slot, on all CPUs.
    func count(_ slot: Int) throws -> UInt64 {
        try map.lookupPerCPU(index: UInt32(slot)).reduce(0) { sum, bytes in
            sum &+ bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        }
    }
}
