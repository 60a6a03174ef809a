import CFastPathABI

/// Compiles the ranges of one family into nodes and words of the location table (`bpf/abi/location.h`).
///
/// Works down from the first 16 bits, eight bits a level, and only where a range begins inside a block.
struct BlockCompiler<Address: FixedWidthInteger & UnsignedInteger & Sendable> {
    private let exact: PlaceRanges<Address>
    private let capped: PlaceRanges<Address>
    private let cap: Int
    private let floor: Int
    /// Index of the capped range that holds the block at hand; blocks are visited in order of address.
    private var cappedIndex = 0
    /// Words of the children of the node being made, one row a level.
    private var rows: [UInt32]
    /// Blocks at the cap that hold finer data, so that an ECS query sees their first address's place.
    private(set) var mixedBlocks = 0

    init(_ ranges: PlaceRanges<Address>, scopes: ClosedRange<Int>) {
        exact = ranges
        floor = scopes.lowerBound
        cap = scopes.upperBound
        capped = ranges.capped(to: cap)
        rows = Array(repeating: 0, count: 256 * (Address.bitWidth / 8))
    }

    /// The 65,536 words of the root.
    mutating func compile(into output: inout CompiledBlocks) -> [UInt32] {
        var roots = [UInt32](repeating: 0, count: 65536)
        var range = 0
        for block in 0..<65536 {
            let start = Address(truncatingIfNeeded: block) << (Address.bitWidth - 16)
            advance(&range, to: start)
            roots[block] = word(start, depth: 16, range: range, scope: nil, into: &output)
        }
        return roots
    }

    private func advance(_ range: inout Int, to address: Address) {
        while range + 1 < exact.starts.count, exact.starts[range + 1] <= address { range += 1 }
    }

    /// The word for the block of `depth` bits at `start`; `range` holds its first address. Below the cap
    /// `scope` is that of the capped block.
    private mutating func word(
        _ start: Address, depth: Int, range: Int, scope: Int?, into output: inout CompiledBlocks
    ) -> UInt32 {
        let last = start | (Address.max >> depth)
        var scope = scope
        if scope == nil, depth <= cap {
            while cappedIndex + 1 < capped.starts.count, capped.starts[cappedIndex + 1] <= start { cappedIndex += 1 }
        }
        let isLeaf = range + 1 >= exact.starts.count || exact.starts[range + 1] > last
        if scope == nil, isLeaf || depth >= cap {
            scope = min(max(capped.depth(of: start, range: cappedIndex), floor), cap)
            if !isLeaf { mixedBlocks += 1 }
        }
        if isLeaf {
            return UInt32(scope ?? cap) << UInt32(NC_WORD_SCOPE_SHIFT) | exact.places[range]
        }
        return node(start, depth: depth, range: range, scope: scope, into: &output)
    }

    private mutating func node(
        _ start: Address, depth: Int, range: Int, scope: Int?, into output: inout CompiledBlocks
    ) -> UInt32 {
        let row = (depth / 8) * 256
        var range = range
        for child in 0..<256 {
            let childStart = start | Address(truncatingIfNeeded: child) << (Address.bitWidth - depth - 8)
            advance(&range, to: childStart)
            rows[row + child] = word(childStart, depth: depth + 8, range: range, scope: scope, into: &output)
        }
        return output.addNode(children: rows[row..<row + 256])
    }
}

/// Nodes and words in the making; words are numbered from 0, and moved behind the nodes in the end.
struct CompiledBlocks {
    private(set) var nodes: [nc_location_node] = []
    private(set) var words: [UInt32] = []

    /// Adds the node whose 256 children have these words; returns the word that leads to it.
    mutating func addNode(children: ArraySlice<UInt32>) -> UInt32 {
        var node = nc_location_node()
        node.base = UInt32(words.count)
        var starts: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var previous: UInt32?
        withUnsafeMutableBytes(of: &starts) { bytes in
            let quarters = bytes.bindMemory(to: UInt64.self)
            for (child, word) in children.enumerated() where word != previous {
                quarters[child / 64] |= 1 << UInt64(child % 64)
                words.append(word)
                previous = word
            }
        }
        node.starts = starts
        let counts = [starts.0, starts.1, starts.2].map { UInt16($0.nonzeroBitCount) }
        node.before = (0, counts[0], counts[0] + counts[1], counts[0] + counts[1] + counts[2])
        nodes.append(node)
        return NC_WORD_NODE | UInt32(2 * Int(NC_ROOT_CELLS) + nodes.count - 1)
    }
}
