import CFastPathABI

/// Compiles the ranges of one family into nodes and words of the location table (`bpf/abi/location.h`).
///
/// It works down from the first 16 bits (for IPv4 the first 24), eight bits per level, and only where a range begins
/// inside a block. Adjacent blocks with the same word are handled together.
struct BlockCompiler<Address: FixedWidthInteger & UnsignedInteger & Sendable> {
    /// A word, and the last address up to which blocks of this depth have it.
    private typealias Run = (word: UInt32, last: Address)

    private let exact: PlaceRanges<Address>
    private let capped: PlaceRanges<Address>
    private let cap: Int
    private let floor: Int
    /// Index of the capped range that contains the current block. Blocks are visited in order of address.
    private var cappedIndex = 0
    /// Words of the runs of the current node, one row per level.
    private var rows: [UInt32]
    /// Number of blocks at the scope cap that hold finer data. An ECS query sees the place of their first address.
    private(set) var mixedBlocks = 0

    init(_ ranges: PlaceRanges<Address>, scopes: ClosedRange<Int>) {
        exact = ranges
        floor = scopes.lowerBound
        cap = scopes.upperBound
        capped = ranges.capped(to: cap)
        rows = Array(repeating: 0, count: 256 * (Address.bitWidth / 8))
    }

    /// Calls `body` with the words of the blocks of `depth` bits that lie in the block of `parent` bits at `start`, as
    /// runs: the number of the first block, the number after the last, and their word. Blocks come in order of address,
    /// across calls too.
    ///
    /// - Parameter range: the range of the previous address. The caller starts with 0 and passes it from call to call.
    mutating func forEachRun(
        of depth: Int, in start: Address, parent: Int, range: inout Int, into output: inout CompiledBlocks,
        _ body: (_ first: Int, _ end: Int, _ word: UInt32) -> Void
    ) {
        let shift = Address.bitWidth - depth
        let count = 1 << (depth - parent)
        var block = 0
        while block < count {
            let blockStart = start | Address(truncatingIfNeeded: block) << shift
            advance(&range, to: blockStart)
            let run = run(blockStart, depth: depth, range: range, scope: nil, into: &output)
            let end = min(count, Self.blocks(from: start, to: run.last, shift: shift))
            body(block, end, run.word)
            block = end
        }
    }

    /// The number of whole blocks from `start` to `last`, which is far below the number of addresses.
    private static func blocks(from start: Address, to last: Address, shift: Int) -> Int {
        let (addresses, isAll) = (last - start).addingReportingOverflow(1)
        return isAll ? .max : Int(truncatingIfNeeded: min(addresses >> Address(shift), 1 << 20))
    }

    private func advance(_ range: inout Int, to address: Address) {
        while range + 1 < exact.starts.count, exact.starts[range + 1] <= address { range += 1 }
    }

    /// The word for the block of `depth` bits at `start`; `range` contains its first address. Below the cap, `scope` is
    /// that of the capped block.
    private mutating func run(
        _ start: Address, depth: Int, range: Int, scope: Int?, into output: inout CompiledBlocks
    ) -> Run {
        let last = start | (Address.max >> depth)
        let rangeLast = range + 1 < exact.starts.count ? exact.starts[range + 1] - 1 : .max
        let isLeaf = rangeLast >= last
        if let scope {
            if isLeaf { return (leaf(scope, range), rangeLast) }
            return (node(start, depth: depth, range: range, scope: scope, into: &output), last)
        }
        guard isLeaf || depth >= cap else {
            return (node(start, depth: depth, range: range, scope: nil, into: &output), last)
        }
        while cappedIndex + 1 < capped.starts.count, capped.starts[cappedIndex + 1] <= start { cappedIndex += 1 }
        let found = capped.depth(of: start, range: cappedIndex)
        let ownScope = min(max(found, floor), cap)
        guard isLeaf else {
            mixedBlocks += 1
            return (node(start, depth: depth, range: range, scope: ownScope, into: &output), last)
        }
        // All blocks inside the block that the scope names have that scope.
        return (leaf(ownScope, range), min(rangeLast, start | (Address.max >> min(found, depth))))
    }

    private func leaf(_ scope: Int, _ range: Int) -> UInt32 {
        UInt32(scope) << UInt32(NC_WORD_SCOPE_SHIFT) | exact.places[range]
    }

    private mutating func node(
        _ start: Address, depth: Int, range: Int, scope: Int?, into output: inout CompiledBlocks
    ) -> UInt32 {
        let row = (depth / 8) * 256
        let shift = Address.bitWidth - depth - 8
        var range = range
        var starts = SIMD4<UInt64>(repeating: 0)
        var (child, runs) = (0, 0)
        while child < 256 {
            let childStart = start | Address(truncatingIfNeeded: child) << Address(shift)
            advance(&range, to: childStart)
            let run = run(childStart, depth: depth + 8, range: range, scope: scope, into: &output)
            if runs == 0 || rows[row + runs - 1] != run.word {
                starts[child / 64] |= 1 << UInt64(child % 64)
                rows[row + runs] = run.word
                runs += 1
            }
            child = Self.blocks(from: start, to: run.last, shift: shift)
        }
        return output.addNode(starts, runs: rows[row..<row + runs])
    }
}
