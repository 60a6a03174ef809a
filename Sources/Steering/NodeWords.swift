public import CFastPathABI
public import IPNetworks

/// The node words that both paths read: of each node one 8-byte word for IPv4, one for IPv6 and one for answers without
/// an address (`bpf/abi/node.h`).
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

    /// - Parameter family: of the answers that the word is for; `nil`: answers without an address.
    public func word(_ slot: Int, _ family: IPFamily?) -> UInt64 {
        nc_load_word(nc_words_node(memory, wordSet(of: family), UInt32(slot)))
    }

    public func store(_ slot: Int, _ family: IPFamily?, _ word: UInt64) {
        nc_store_word(nc_words_node(memory, wordSet(of: family), UInt32(slot)), word)
    }

    /// Stores the same word for all kinds of answers.
    public func store(_ slot: Int, _ word: UInt64) {
        for family in IPFamily.answered { store(slot, family, word) }
    }

    public func storeIDHash(_ slot: Int, _ hash: UInt64) { nc_store_word(nc_words_id_hash(memory, UInt32(slot)), hash) }

    public func storeCensus(generation: Int, table: Int, _ census: UInt64) {
        nc_store_word(nc_words_census(memory, UInt32(generation), UInt32(table)), census)
    }
}

/// The words of one node.
public struct WordsOfNode: Hashable, Sendable {
    public var any: UInt64
    public var v4: UInt64
    public var v6: UInt64

    public init(any: UInt64, v4: UInt64, v6: UInt64) {
        self.any = any
        self.v4 = v4
        self.v6 = v6
    }

    /// The same word for all kinds of answers.
    public init(_ word: UInt64) { self.init(any: word, v4: word, v6: word) }

    public subscript(_ family: IPFamily?) -> UInt64 {
        switch family {
        case .v4: v4
        case .v6: v6
        case nil: any
        }
    }
}

extension IPFamily {
    /// The kinds of answers that have words of their own. `nil`: those without an address.
    public static let answered: [IPFamily?] = [nil, .v4, .v6]
}

/// The set of words (`enum nc_word_set`) for a table's family.
public func wordSet(of family: IPFamily?) -> UInt32 { UInt32(family?.rawValue ?? 0) }
