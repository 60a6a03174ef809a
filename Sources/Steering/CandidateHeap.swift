/// A candidate in the heap, before it has a position in the order.
struct HeapEntry {
    /// Compared before the cost; the smallest comes first.
    var group: UInt64
    var cost: UInt64
    var idRank: UInt32
    /// Index in the ranking.
    var member: UInt32

    static func precedes(_ left: HeapEntry, _ right: HeapEntry) -> Bool {
        if left.group != right.group { return left.group < right.group }
        return left.cost != right.cost ? left.cost < right.cost : left.idRank < right.idRank
    }
}

/// A binary heap in memory that the caller owns. Removed entries lie behind the remaining ones, the last removed first.
struct CandidateHeap {
    private let memory: UnsafeMutableBufferPointer<HeapEntry>
    private var count = 0

    /// - Parameter memory: room for every entry that will be appended.
    init(_ memory: UnsafeMutableBufferPointer<HeapEntry>) { self.memory = memory }

    var isEmpty: Bool { count == 0 }
    var first: HeapEntry? { count > 0 ? memory[0] : nil }

    /// Appends without ordering: call `order` after the last append.
    mutating func append(_ entry: HeapEntry) {
        memory.initializeElement(at: count, to: entry)
        count += 1
    }

    /// Turns the appended entries into a heap.
    mutating func order() {
        for index in stride(from: count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    mutating func takeFirst() -> HeapEntry? {
        guard count > 0 else { return nil }
        count -= 1
        let first = memory[0]
        memory[0] = memory[count]
        memory[count] = first
        sink(0)
        return first
    }

    /// The last `number` entries removed, in no particular order.
    func taken(_ number: Int) -> UnsafeMutableBufferPointer<HeapEntry> {
        UnsafeMutableBufferPointer(rebasing: memory[count..<count + number])
    }

    private mutating func sink(_ from: Int) {
        var parent = from
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < count {
                if HeapEntry.precedes(memory[child], memory[least]) { least = child }
            }
            guard least != parent else { return }
            memory.swapAt(parent, least)
            parent = least
        }
    }
}
