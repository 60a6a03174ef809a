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

/// The table in the making: the roots' cells, then each node with the cells of its words right behind it, so that a
/// step down touches neighbouring lines.
struct CompiledBlocks {
    /// Sixteen to a cell.
    private(set) var words = [UInt32](repeating: 0, count: 2 * Int(NC_ROOT_CELLS) * Int(NC_WORDS_PER_CELL))

    var cellCount: Int { words.count / Int(NC_WORDS_PER_CELL) }

    /// Writes the root of a family: 65,536 words.
    mutating func setRoot(_ root: [UInt32], firstCell: Int) {
        let first = firstCell * Int(NC_WORDS_PER_CELL)
        words.replaceSubrange(first..<first + root.count, with: root)
    }

    /// Adds the node whose 256 children have these words; returns the word that leads to it.
    mutating func addNode(children: ArraySlice<UInt32>) -> UInt32 {
        var starts = SIMD4<UInt64>(repeating: 0)
        var runs: [UInt32] = []
        var previous: UInt32?
        for (child, word) in children.enumerated() where word != previous {
            starts[child / 64] |= 1 << UInt64(child % 64)
            runs.append(word)
            previous = word
        }
        let cell = cellCount
        let isInline = runs.count <= Int(NC_NODE_WORDS)
        appendNode(starts, base: isInline ? 0 : UInt32((cell + 1) * Int(NC_WORDS_PER_CELL)), runs: isInline ? runs : [])
        if !isInline {
            words += runs
            while words.count % Int(NC_WORDS_PER_CELL) != 0 { words.append(0) }
        }
        return NC_WORD_NODE | UInt32(cell)
    }

    private mutating func appendNode(_ starts: SIMD4<UInt64>, base: UInt32, runs: [UInt32]) {
        var node = nc_location_node()
        node.starts = (starts[0], starts[1], starts[2], starts[3])
        let counts = (0..<3).map { UInt16(starts[$0].nonzeroBitCount) }
        node.before = (0, counts[0], counts[0] + counts[1], counts[0] + counts[1] + counts[2])
        node.base = base
        withUnsafeMutableBytes(of: &node.word) { bytes in
            for (index, word) in runs.enumerated() {
                bytes.storeBytes(of: word, toByteOffset: 4 * index, as: UInt32.self)
            }
        }
        withUnsafeBytes(of: node) { words += $0.bindMemory(to: UInt32.self) }
    }
}
