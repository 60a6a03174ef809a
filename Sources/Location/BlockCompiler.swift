import CFastPathABI

/// Compiles the ranges of one family into nodes and words of the location table (`bpf/abi/location.h`).
///
/// Works down from the first 16 bits, or for IPv4 from the first 24, eight bits a level, and only where a range begins
/// inside a block.
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

    /// The 65,536 words of the first 16 bits.
    mutating func compileRoot(into output: inout CompiledBlocks) -> [UInt32] {
        var roots = [UInt32](repeating: 0, count: 65536)
        var range = 0
        for block in 0..<65536 {
            let start = Address(truncatingIfNeeded: block) << (Address.bitWidth - 16)
            advance(&range, to: start)
            roots[block] = word(start, depth: 16, range: range, scope: nil, into: &output)
        }
        return roots
    }

    /// Sets `words` to those of the 65,536 blocks of 24 bits below the first octet `octet`; octets come in order.
    ///
    /// - Parameter range: of the address before; kept from call to call, from 0.
    mutating func compileOctet(
        _ octet: Int, range: inout Int, words: inout [UInt32], into output: inout CompiledBlocks
    ) {
        for block in 0..<256 {
            let start = Address(truncatingIfNeeded: octet << 8 | block) << (Address.bitWidth - 16)
            advance(&range, to: start)
            var scope: Int?
            if let leaf = leaf(start, depth: 16, range: range, scope: &scope) {
                for child in 0..<256 { words[256 * block + child] = leaf }
                continue
            }
            for child in 0..<256 {
                let childStart = start | Address(truncatingIfNeeded: child) << (Address.bitWidth - 24)
                advance(&range, to: childStart)
                words[256 * block + child] = word(childStart, depth: 24, range: range, scope: scope, into: &output)
            }
        }
    }

    private func advance(_ range: inout Int, to address: Address) {
        while range + 1 < exact.starts.count, exact.starts[range + 1] <= address { range += 1 }
    }

    /// The word for the block of `depth` bits at `start`; `range` holds its first address. Below the cap
    /// `scope` is that of the capped block.
    private mutating func word(
        _ start: Address, depth: Int, range: Int, scope: Int?, into output: inout CompiledBlocks
    ) -> UInt32 {
        var scope = scope
        return leaf(start, depth: depth, range: range, scope: &scope)
            ?? node(start, depth: depth, range: range, scope: scope, into: &output)
    }

    /// The word of a block that is of one place; nil for others. Sets the scope at the cap.
    private mutating func leaf(_ start: Address, depth: Int, range: Int, scope: inout Int?) -> UInt32? {
        let last = start | (Address.max >> depth)
        if scope == nil, depth <= cap {
            while cappedIndex + 1 < capped.starts.count, capped.starts[cappedIndex + 1] <= start { cappedIndex += 1 }
        }
        let isLeaf = range + 1 >= exact.starts.count || exact.starts[range + 1] > last
        if scope == nil, isLeaf || depth >= cap {
            scope = min(max(capped.depth(of: start, range: cappedIndex), floor), cap)
            if !isLeaf { mixedBlocks += 1 }
        }
        return isLeaf ? UInt32(scope ?? cap) << UInt32(NC_WORD_SCOPE_SHIFT) | exact.places[range] : nil
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
