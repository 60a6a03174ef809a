/// The words of the 65,536 /24s of a first octet, told by 16-bit codes.
struct CodedWords {
    /// Commonest first, so that most look-ups share few cache lines; equally common ones by value.
    private(set) var distinct: [UInt32] = []
    /// The codes, two to a number, the first in its low half.
    private(set) var pairs = [UInt32](repeating: 0, count: 32768)

    private var numbers = NumberTable(capacity: 1 << 14)
    /// Blocks of each number's word.
    private var counts: [Int] = []
    private var runs: [(end: Int, number: UInt16)] = []
    private var keys: [UInt64] = []
    private var ranks: [UInt16] = []

    /// Takes the words of the blocks up to `end`, in order.
    mutating func append(_ word: UInt32, to end: Int) {
        let number = numbers.number(of: word)
        if number == counts.count {
            counts.append(0)
            distinct.append(word)
        }
        counts[number] += end - (runs.last?.end ?? 0)
        runs.append((end, UInt16(number)))
    }

    /// Finds the codes when all blocks are there.
    mutating func encode() {
        // One number orders by count, then by word: at most 65,536 blocks, and as many numbers.
        keys.removeAll(keepingCapacity: true)
        for (number, word) in distinct.enumerated() {
            keys.append(UInt64(65536 - counts[number]) << 48 | UInt64(word) << 16 | UInt64(number))
        }
        keys.sort()
        ranks = [UInt16](repeating: 0, count: keys.count)
        for (rank, key) in keys.enumerated() {
            ranks[Int(key & 0xffff)] = UInt16(rank)
            distinct[rank] = UInt32(truncatingIfNeeded: key >> 16)
        }
        var block = 0
        for run in runs {
            let code = UInt32(ranks[Int(run.number)])
            if block < run.end, block % 2 == 1 {
                pairs[block / 2] |= code << 16
                block += 1
            }
            while block + 1 < run.end {
                pairs[block / 2] = code | code << 16
                block += 2
            }
            if block < run.end {
                pairs[block / 2] = code
                block += 1
            }
        }
    }

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        distinct.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        numbers.removeAll()
    }
}
