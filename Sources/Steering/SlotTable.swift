/// The slot of each node id. A slot is assigned once, and kept as long as this table remembers it.
public struct SlotTable: Sendable, Equatable {
    public private(set) var slots: [String: Int] = [:]

    public init() {}

    /// - Parameter slots: from an earlier run. Entries beyond `limit` or with a slot that is already taken are dropped.
    public init(restoring slots: [String: Int], limit: Int) {
        var taken: Set<Int> = []
        for (id, slot) in slots.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        where slot >= 0 && slot < limit && taken.insert(slot).inserted {
            self.slots[id] = slot
        }
    }

    /// Gives every id a slot, in order of `ids`: the one it has, or the lowest free one. If no slot is free, slots of
    /// ids that are neither in `ids` nor in `keeping` are reclaimed.
    ///
    /// - Parameters:
    ///   - ids: at most `limit`.
    ///   - keeping: ids whose slots are in use and must not be reassigned.
    /// - Throws: `tooManySlots` if both together are more than `limit`. Nothing has changed then.
    public mutating func assign(
        _ ids: [String], limit: Int, keeping: Set<String> = []
    ) throws(SteeringError) {
        if Set(slots.keys).union(ids).count > limit {
            let wanted = keeping.union(ids)
            guard wanted.count <= limit else { throw .tooManySlots(wanted.count, limit: limit) }
            slots = slots.filter { wanted.contains($0.key) }
        }
        var taken = Set(slots.values)
        var next = 0
        for id in ids where slots[id] == nil {
            while taken.contains(next) { next += 1 }
            taken.insert(next)
            slots[id] = next
        }
    }
}
