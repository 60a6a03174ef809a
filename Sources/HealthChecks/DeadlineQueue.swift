/// What is due when: a binary heap by time. What is no longer of meaning stays until it comes up, and is told by its turn.
struct DeadlineQueue {
    struct Entry {
        /// Nanoseconds of monotonic time.
        let due: Int64
        let job: Int
        let turn: UInt32
    }

    private var heap: [Entry] = []

    var first: Int64? { heap.first?.due }

    mutating func add(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The earliest, if it is due by `now`.
    mutating func next(at now: Int64) -> Entry? {
        guard let first = heap.first, first.due <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].due < heap[least].due
            {
                least = child
            }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
