import CFastPathABI

/// The table under construction: the fixed cells of both families, then blocks of words and nodes in the order they are
/// made. The words of a node follow it directly, so that one step down reads adjacent cache lines.
struct CompiledBlocks {
    /// Sixteen to a cell.
    private(set) var words = [UInt32](
        repeating: 0, count: Int(NC_WIDE_CELLS + NC_ROOT_CELLS) * Int(NC_WORDS_PER_CELL))

    var cellCount: Int { words.count / Int(NC_WORDS_PER_CELL) }

    /// Writes the root of IPv6: 65,536 words.
    mutating func setRoot(_ root: [UInt32]) {
        let first = Int(NC_ROOT_CELL) * Int(NC_WORDS_PER_CELL)
        words.replaceSubrange(first..<first + root.count, with: root)
    }

    /// Writes one block of the first 12 bits of IPv4: the words of its 4,096 /24s, or the single word that they share.
    mutating func setWide(_ number: Int, _ blocks: [UInt32]) {
        guard let first = blocks.first, blocks.contains(where: { $0 != first }) else {
            words[number] = blocks.first ?? 0
            return
        }
        words[number] = NC_WORD_NODE | UInt32(cellCount)
        words += blocks
    }

    private mutating func fillCell() {
        while words.count % Int(NC_WORDS_PER_CELL) != 0 { words.append(0) }
    }

    /// Adds a node.
    ///
    /// - Parameters:
    ///   - starts: bits of the children that begin a run.
    ///   - runs: the runs' words.
    /// - Returns: the word that leads to it.
    mutating func addNode(_ starts: SIMD4<UInt64>, runs: ArraySlice<UInt32>) -> UInt32 {
        let cell = cellCount
        let isInline = runs.count <= Int(NC_NODE_WORDS)
        appendNode(starts, base: isInline ? 0 : UInt32((cell + 1) * Int(NC_WORDS_PER_CELL)), runs: isInline ? runs : [])
        if !isInline {
            words += runs
            fillCell()
        }
        return NC_WORD_NODE | UInt32(cell)
    }

    private mutating func appendNode(_ starts: SIMD4<UInt64>, base: UInt32, runs: ArraySlice<UInt32>) {
        var node = nc_location_node()
        node.starts = (starts[0], starts[1], starts[2], starts[3])
        let first = UInt16(starts[0].nonzeroBitCount)
        let second = first + UInt16(starts[1].nonzeroBitCount)
        node.before = (0, first, second, second + UInt16(starts[2].nonzeroBitCount))
        node.base = base
        withUnsafeMutableBytes(of: &node.word) { bytes in
            for (index, word) in runs.enumerated() {
                bytes.storeBytes(of: word, toByteOffset: 4 * index, as: UInt32.self)
            }
        }
        withUnsafeBytes(of: node) { words += $0.bindMemory(to: UInt32.self) }
    }
}
