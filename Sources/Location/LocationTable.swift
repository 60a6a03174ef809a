public import CFastPathABI
public import IPNetworks

/// Address → place and ECS scope, for both families, in the layout the XDP program reads
/// (`bpf/abi/location.h`).
///
/// Immutable. A lookup of an IPv4 address reads two cache lines down to its /24, and only one of them is its own. An
/// IPv6 address reads one line for the first sixteen bits. Each further eight bits read one line, and the word one
/// more.
public final class LocationTable: @unchecked Sendable {
    // Sendable: the memory is written in `init` only, before the object is shared, and freed in `deinit`.
    private let memory: UnsafeMutableRawPointer
    /// Number of 64-byte cells.
    public let cellCount: Int
    /// Blocks at the ECS cap (/24, /56) that hold finer data.
    public let mixedBlocks: Int

    /// Compiles both families.
    ///
    /// - Throws: `LocationTableError` when a place's number or the table's size is beyond the layout.
    public init(v4: PlaceRanges<UInt32>, v6: PlaceRanges<UInt128>) throws(LocationTableError) {
        let highest = max(v4.places.max() ?? 0, v6.places.max() ?? 0)
        guard highest <= NC_WORD_PLACE_MASK else {
            throw .tooManyPlaces(Int(highest) + 1, limit: Int(NC_WORD_PLACE_MASK) + 1)
        }
        var blocks = CompiledBlocks()
        var compilerV4 = BlockCompiler(v4, scopes: Int(NC_SCOPE_MIN_V4)...Int(NC_SCOPE_MAX_V4))
        var range = 0
        var words = [UInt32](repeating: 0, count: 4096)
        for number in 0..<4096 {
            compilerV4.forEachRun(
                of: 24, in: UInt32(number) << 20, parent: 12, range: &range, into: &blocks
            ) { first, end, word in
                for block in first..<end { words[block] = word }
            }
            blocks.setWide(number, words)
        }
        var compilerV6 = BlockCompiler(v6, scopes: Int(NC_SCOPE_MIN_V6)...Int(NC_SCOPE_MAX_V6))
        var root = [UInt32](repeating: 0, count: 65536)
        range = 0
        compilerV6.forEachRun(of: 16, in: 0, parent: 0, range: &range, into: &blocks) { first, end, word in
            for block in first..<end { root[block] = word }
        }
        blocks.setRoot(root)
        mixedBlocks = compilerV4.mixedBlocks + compilerV6.mixedBlocks

        cellCount = blocks.cellCount
        let limit = Int(UInt32.max) / Int(NC_WORDS_PER_CELL)
        guard cellCount <= limit else { throw .tooManyCells(cellCount, limit: limit) }
        memory = .allocate(byteCount: cellCount * Int(NC_CELL_BYTES), alignment: Int(NC_CELL_BYTES))
        blocks.words.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            memory.copyMemory(from: base, byteCount: source.count)
        }
    }

    deinit { memory.deallocate() }

    /// The table's bytes, as written to the map.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory, count: cellCount * Int(NC_CELL_BYTES))
    }

    /// Whether an IPv6 network of 16 bits is divided.
    func isDivided(rootIndex: UInt32) -> Bool {
        var table = nc_host_table(cells: UnsafeRawPointer(memory), count: UInt32(cellCount))
        let index = UInt32(NC_ROOT_CELL) * UInt32(NC_WORDS_PER_CELL) + rootIndex
        return withUnsafePointer(to: &table) { nc_location_word($0, index) } & NC_WORD_NODE != 0
    }

    /// Place and scope of a full address.
    public func find(_ address: nc_address) -> nc_place {
        var table = nc_host_table(cells: UnsafeRawPointer(memory), count: UInt32(cellCount))
        return withUnsafePointer(to: &table) { nc_location_find($0, address) }
    }
}

/// Why ranges do not fit the table.
public enum LocationTableError: Error, Equatable {
    case tooManyPlaces(Int, limit: Int)
    case tooManyCells(Int, limit: Int)
}

extension nc_address {
    /// The address as tables and hashes represent it: IPv4 is in the upper 32 bits.
    public init(_ address: IPAddress) {
        switch address {
        case .v4(let bits):
            self.init(hi: UInt64(bits) << 32, lo: 0, family: UInt32(NC_FAMILY_V4), reserved: 0)
        case .v6(let bits):
            self.init(
                hi: UInt64(truncatingIfNeeded: bits >> 64), lo: UInt64(truncatingIfNeeded: bits),
                family: UInt32(NC_FAMILY_V6), reserved: 0)
        }
    }
}

extension IPAddress {
    /// The address for an `nc_address`, which is how tables and hashes represent it.
    public init(_ address: nc_address) {
        self =
            address.family == UInt32(NC_FAMILY_V4)
            ? .v4(UInt32(truncatingIfNeeded: address.hi >> 32)) : .v6(UInt128(address.hi) << 64 | UInt128(address.lo))
    }
}
