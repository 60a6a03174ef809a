public import CFastPathABI
public import IPNetworks

/// Address → place and ECS scope, for both families, in the layout the XDP program reads
/// (`bpf/abi/location.h`).
///
/// Immutable. A look-up follows at most one cache line for each eight bits past the first sixteen, and one
/// for the word behind.
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
        let rootsV4 = compilerV4.compile(into: &blocks)
        var compilerV6 = BlockCompiler(v6, scopes: Int(NC_SCOPE_MIN_V6)...Int(NC_SCOPE_MAX_V6))
        let rootsV6 = compilerV6.compile(into: &blocks)
        mixedBlocks = compilerV4.mixedBlocks + compilerV6.mixedBlocks

        let perCell = Int(NC_WORDS_PER_CELL)
        let firstWordCell = 2 * Int(NC_ROOT_CELLS) + blocks.nodes.count
        cellCount = firstWordCell + (blocks.words.count + perCell - 1) / perCell
        guard cellCount * perCell <= UInt32.max else {
            throw .tooManyCells(cellCount, limit: Int(UInt32.max) / perCell)
        }
        memory = .allocate(byteCount: cellCount * Int(NC_CELL_BYTES), alignment: Int(NC_CELL_BYTES))
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: cellCount * Int(NC_CELL_BYTES))

        let words = memory.assumingMemoryBound(to: UInt32.self)
        copy(rootsV4, to: words)
        copy(rootsV6, to: words + Int(NC_ROOT_CELLS) * perCell)
        copy(blocks.words, to: words + firstWordCell * perCell)
        let nodes = (memory + 2 * Int(NC_ROOT_CELLS) * Int(NC_CELL_BYTES)).assumingMemoryBound(
            to: nc_location_node.self)
        for (index, node) in blocks.nodes.enumerated() {
            var node = node
            node.base += UInt32(firstWordCell * perCell)
            nodes[index] = node
        }
    }

    deinit { memory.deallocate() }

    /// The table's bytes, as they go into the map.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory, count: cellCount * Int(NC_CELL_BYTES))
    }

    /// Place and scope of an address seen whole.
    public func find(_ address: nc_address) -> nc_place {
        var table = nc_host_table(cells: UnsafeRawPointer(memory), count: UInt32(cellCount))
        return withUnsafePointer(to: &table) { nc_location_find($0, address) }
    }
}

private func copy(_ words: [UInt32], to target: UnsafeMutablePointer<UInt32>) {
    words.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress else { return }
        target.update(from: base, count: source.count)
    }
}

/// Why ranges do not fit the table.
public enum LocationTableError: Error, Equatable {
    case tooManyPlaces(Int, limit: Int)
    case tooManyCells(Int, limit: Int)
}

extension nc_address {
    /// The address as tables and hashes see it: IPv4 stands in the upper 32 bits.
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
