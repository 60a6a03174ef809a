public import CFastPathABI

/// The node words that both paths read: one 8-byte word per node (`bpf/abi/node.h`).
///
/// If there is a fast path, the memory is its map, so one store changes the word for both paths.
public final class NodeWords: @unchecked Sendable {
    // Sendable: after `init`, the memory is accessed only by 8-byte atomic loads and stores, here and in the C code. It
    // lives as long as this object, which owns it or holds its owner, `keeper`.
    private let memory: UnsafeMutablePointer<nc_words>
    private let keeper: (any Sendable)?

    public static let byteCount = MemoryLayout<nc_words>.size

    /// Words private to this process; all nodes are unknown.
    public init() {
        memory = .allocate(capacity: 1)
        UnsafeMutableRawPointer(memory).initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
        keeper = nil
    }

    /// Words in memory that `keeper` keeps mapped: at least `byteCount` bytes, aligned to 8.
    public init(memory: UnsafeMutableRawPointer, keeper: any Sendable) {
        self.memory = memory.assumingMemoryBound(to: nc_words.self)
        self.keeper = keeper
    }

    deinit {
        if keeper == nil { memory.deallocate() }
    }

    public var pointer: UnsafePointer<nc_words> { UnsafePointer(memory) }

    public func word(_ slot: Int) -> UInt64 { nc_load_word(nc_words_node(memory, UInt32(slot))) }

    public func store(_ slot: Int, _ word: UInt64) { nc_store_word(nc_words_node(memory, UInt32(slot)), word) }

    public func storeIDHash(_ slot: Int, _ hash: UInt64) { nc_store_word(nc_words_id_hash(memory, UInt32(slot)), hash) }

    public func storeCensus(generation: Int, table: Int, _ census: UInt64) {
        nc_store_word(nc_words_census(memory, UInt32(generation), UInt32(table)), census)
    }
}
