import Synchronization

/// Counters that many threads raise without a lock.
public final class CounterTable: Sendable {
    /// Sendable: the memory belongs to this object, lives as long as it, and every access is atomic.
    nonisolated(unsafe) private let cells: UnsafeMutablePointer<Atomic<UInt64>>
    public let count: Int

    /// - Parameter count: at least 1.
    public init(count: Int) {
        precondition(count >= 1, "a table has a counter")
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    public func add(_ amount: UInt64 = 1, to index: Int) {
        precondition((0..<count).contains(index), "there is no such counter")
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }

    /// Sets a counter to zero.
    public func reset(_ index: Int) {
        precondition((0..<count).contains(index), "there is no such counter")
        cells[index].store(0, ordering: .relaxed)
    }

    public subscript(index: Int) -> UInt64 {
        precondition((0..<count).contains(index), "there is no such counter")
        return cells[index].load(ordering: .relaxed)
    }
}
