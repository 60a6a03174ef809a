import BPFRuntime
import CFastPathABI

/// The location cache of recently queried IPv4 blocks, on each CPU, in two buffers: `bpf/abi/recent.h`.
struct RecentBlocks {
    private let map: BPFMap
    private let processors: Int

    /// - Throws: `SystemError` when the CPUs cannot be counted.
    init(_ map: BPFMap) throws {
        self.map = map
        processors = try BPFMap.possibleCPUs
    }

    /// The kernel memory that it takes.
    var bytes: Int { map.maxEntries * map.valueSize * processors }

    /// Empties a buffer, 0 or 1, that no packet may be using.
    func empty(half: UInt32) throws {
        let none = [[UInt8]](repeating: [UInt8](repeating: 0, count: map.valueSize), count: processors)
        for part in 0..<UInt32(NC_RECENT_PARTS) {
            try map.updatePerCPU(index: half * UInt32(NC_RECENT_PARTS) + part, none)
        }
    }
}
