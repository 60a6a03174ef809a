/// The words of the 65,536 /24s of a first octet, told by 16-bit codes.
struct CodedWords {
    /// Commonest first, so that most look-ups share few cache lines; equally common ones by value.
    let distinct: [UInt32]
    /// The codes, two to a number, the first in its low half.
    let pairs: [UInt32]

    init(_ blocks: [UInt32]) {
        var numbers: [UInt32: Int] = [:]
        var found: [(word: UInt32, count: Int)] = []
        var codes = [UInt16](repeating: 0, count: blocks.count)
        var last: (word: UInt32, number: Int)?
        for (index, word) in blocks.enumerated() {
            // Blocks come in runs: most need no look-up.
            if last?.word != word {
                let number = numbers[word] ?? found.count
                if number == found.count {
                    numbers[word] = number
                    found.append((word, 0))
                }
                last = (word, number)
            }
            let number = last?.number ?? 0
            found[number].count += 1
            codes[index] = UInt16(truncatingIfNeeded: number)
        }
        let order = found.indices.sorted {
            found[$0].count != found[$1].count ? found[$0].count > found[$1].count : found[$0].word < found[$1].word
        }
        var ranks = [UInt32](repeating: 0, count: found.count)
        for (rank, number) in order.enumerated() { ranks[number] = UInt32(rank) }
        distinct = order.map { found[$0].word }
        pairs = stride(from: 0, to: codes.count, by: 2).map {
            ranks[Int(codes[$0])] | ranks[Int(codes[$0 + 1])] << 16
        }
    }
}
