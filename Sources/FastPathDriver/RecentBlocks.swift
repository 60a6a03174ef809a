import BPFRuntime
import CFastPathABI

/// The IPv4 blocks that the program was asked for lately, on each processor, in two halves: `bpf/abi/recent.h`.
struct RecentBlocks {
    private let map: BPFMap
    private let processors: Int

    /// - Throws: `SystemError` when the processors cannot be counted.
    init(_ map: BPFMap) throws {
        self.map = map
        processors = try BPFMap.possibleCPUs
    }

    /// What the kernel keeps for them.
    var bytes: Int { map.maxEntries * map.valueSize * processors }

    /// Forgets the blocks of a half, 0 or 1, which no packet may be using.
    func empty(half: UInt32) throws {
        let none = [[UInt8]](repeating: [UInt8](repeating: 0, count: map.valueSize), count: processors)
        for part in 0..<UInt32(NC_RECENT_PARTS) {
            try map.updatePerCPU(index: half * UInt32(NC_RECENT_PARTS) + part, none)
        }
    }
}
