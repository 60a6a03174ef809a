/// Deadlines in order: a binary heap. The deadline of a probe that has ended stays until it expires or ``keep(where:)``
/// drops it. Its id shows that it is void.
struct DeadlineQueue {
    struct Entry {
        /// Nanoseconds of monotonic time.
        let due: Int64
        let id: ProbeID
    }

    private var heap: [Entry] = []

    /// The earliest time.
    var first: Int64? { heap.first?.due }

    mutating func add(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the earliest deadline if it is due at `now`.
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

    /// Drops all other deadlines.
    mutating func keep(where isKept: (Entry) -> Bool) {
        // A sorted array is a heap.
        heap = heap.filter(isKept).sorted { $0.due < $1.due }
    }
}
