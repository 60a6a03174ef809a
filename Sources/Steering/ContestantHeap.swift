/// A candidate on its way into an order.
struct Contestant {
    /// What outweighs costs; the smallest comes first, and so on.
    var group: UInt64
    var cost: UInt64
    var idRank: UInt32
    /// Index in the ranking.
    var member: UInt32

    static func precedes(_ left: Contestant, _ right: Contestant) -> Bool {
        if left.group != right.group { return left.group < right.group }
        return left.cost != right.cost ? left.cost < right.cost : left.idRank < right.idRank
    }
}

/// A binary heap in memory of its user's. What is taken lies behind what is left, the last one first.
struct ContestantHeap {
    private let memory: UnsafeMutableBufferPointer<Contestant>
    private var count = 0

    /// - Parameter memory: room for all that will be appended.
    init(_ memory: UnsafeMutableBufferPointer<Contestant>) { self.memory = memory }

    var isEmpty: Bool { count == 0 }
    var first: Contestant? { count > 0 ? memory[0] : nil }

    /// To be followed by `order`.
    mutating func append(_ contestant: Contestant) {
        memory.initializeElement(at: count, to: contestant)
        count += 1
    }

    /// Makes a heap of what was appended.
    mutating func order() {
        for index in stride(from: count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    mutating func takeFirst() -> Contestant? {
        guard count > 0 else { return nil }
        count -= 1
        let first = memory[0]
        memory[0] = memory[count]
        memory[count] = first
        sink(0)
        return first
    }

    /// The contestants taken last, in any order.
    func taken(_ number: Int) -> UnsafeMutableBufferPointer<Contestant> {
        UnsafeMutableBufferPointer(rebasing: memory[count..<count + number])
    }

    private mutating func sink(_ from: Int) {
        var parent = from
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < count {
                if Contestant.precedes(memory[child], memory[least]) { least = child }
            }
            guard least != parent else { return }
            memory.swapAt(parent, least)
            parent = least
        }
    }
}
