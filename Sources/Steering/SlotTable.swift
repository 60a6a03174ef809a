/// Which slot each node id has: assigned once, and kept while it is remembered here.
public struct SlotTable: Sendable, Equatable {
    public private(set) var slots: [String: Int] = [:]

    public init() {}

    /// - Parameter slots: from an earlier run; entries beyond `limit` or sharing a slot are forgotten.
    public init(restoring slots: [String: Int], limit: Int) {
        var taken: Set<Int> = []
        for (id, slot) in slots.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        where slot >= 0 && slot < limit && taken.insert(slot).inserted {
            self.slots[id] = slot
        }
    }

    /// Gives every id a slot: its own, or the lowest free one, in order of `ids`. Where no slot is free, those of ids
    /// not among `ids` are taken back.
    ///
    /// - Precondition: at most `limit` ids.
    public mutating func assign(_ ids: [String], limit: Int) {
        if Set(slots.keys).union(ids).count > limit {
            let wanted = Set(ids)
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
