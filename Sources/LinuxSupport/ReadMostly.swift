public import CLinux
public import Synchronization

/// A reference that many threads read for every packet and one writer replaces occasionally (read-copy-update).
///
/// A reader takes no lock, and writes only to counters that few threads share:
///
///     reader: place ← current · readers[place] += 1 · is current still place? ─ yes ─► use ─► readers[place] -= 1
///                 ▲                                            └─ no ─► readers[place] -= 1 ─┐
///                 └──────────────────────────────────────────────────────────────────────────┘
///     writer: values[idle] ← new · current ← idle · … until readers[old] was 0 in every shard: release values[old]
///
/// Proof that a value outlives its readers. All four steps on `current` and `readers` are sequentially consistent, so
/// they have one order. Take a reader that uses `values[old]`, and the writer's read of its shard's counter after the
/// flip. If the reader's increment came before that read, the writer sees it and waits. Otherwise the reader's second
/// read of `current` came after the flip too: it saw the new place and backed off. A place is filled only after it was
/// seen without readers since it was left, and before `current` refers to it, so every reader that arrives sees it
/// whole.
///
/// `@unchecked Sendable`: this object owns the memory, which lives as long as it does, and every access follows the
/// proof above.
public final class ReadMostly<Value: AnyObject & Sendable>: @unchecked Sendable {
    /// Counts the readers of both places among the threads that share the shard. Has its own cache lines.
    @usableFromInline struct Shard: ~Copyable {
        @usableFromInline let first = Atomic<Int>(0)
        @usableFromInline let second = Atomic<Int>(0)
        private let padding = InlineArray<14, Int>(repeating: 0)

        @usableFromInline init() {}
    }

    /// A power of two.
    @usableFromInline static var shardCount: Int { 64 }

    @usableFromInline let shards: UnsafeMutablePointer<Shard>
    @usableFromInline let values: UnsafeMutablePointer<Unmanaged<Value>?>
    @usableFromInline let current = Atomic<Int>(0)

    public init(_ value: Value) {
        shards = .allocate(capacity: Self.shardCount)
        for index in 0..<Self.shardCount { (shards + index).initialize(to: Shard()) }
        values = .allocate(capacity: 2)
        values.initialize(to: .passRetained(value))
        (values + 1).initialize(to: nil)
    }

    deinit {
        for place in 0..<2 { values[place]?.release() }
        values.deallocate()
        (shards).deinitialize(count: Self.shardCount)
        shards.deallocate()
    }

    /// Calls `body` with the current value, which lives until `body` returns. May be called on any thread. `body` must
    /// not wait for the writer.
    @inlinable public func read<Result, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let shard = shards + Int(linux_thread_number()) & (Self.shardCount - 1)
        while true {
            let place = current.load(ordering: .sequentiallyConsistent)
            count(shard, place, 1)
            defer { count(shard, place, -1) }
            guard current.load(ordering: .sequentiallyConsistent) == place, let value = values[place] else { continue }
            return try body(value._withUnsafeGuaranteedRef { $0 })
        }
    }

    @inlinable func count(_ shard: UnsafeMutablePointer<Shard>, _ place: Int, _ change: Int) {
        if place == 0 {
            shard.pointee.first.wrappingAdd(change, ordering: .sequentiallyConsistent)
        } else {
            shard.pointee.second.wrappingAdd(change, ordering: .sequentiallyConsistent)
        }
    }

    /// Makes every later `read` see `value`. The earlier value stays until `releaseEarlier` succeeds. One writer at a
    /// time.
    ///
    /// - Precondition: the previous earlier value was released.
    public func replace(with value: Value) {
        let place = current.load(ordering: .relaxed)
        precondition(values[1 - place] == nil, "an earlier value is not released yet")
        values[1 - place] = .passRetained(value)
        current.store(1 - place, ordering: .sequentiallyConsistent)
    }

    /// Releases the earlier value unless a reader still uses it; returns `false` then. One writer at a time.
    public func releaseEarlier() -> Bool {
        let place = 1 - current.load(ordering: .relaxed)
        guard let value = values[place] else { return true }
        for index in 0..<Self.shardCount {
            let readers =
                place == 0
                ? shards[index].first.load(ordering: .sequentiallyConsistent)
                : shards[index].second.load(ordering: .sequentiallyConsistent)
            guard readers == 0 else { return false }
        }
        values[place] = nil
        value.release()
        return true
    }
}
