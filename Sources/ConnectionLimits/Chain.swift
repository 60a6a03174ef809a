/// A list of slots, the idlest first. `Links` holds the elements in between.
struct Chain: Sendable {
    static let end = -1

    var first = Chain.end
    var last = Chain.end
    var count = 0
}

/// The neighbours of each slot in its chain. A slot is in at most one chain.
struct Links: Sendable {
    private var before: [Int] = []
    private var after: [Int] = []

    /// Makes room for one more slot.
    mutating func grow() {
        before.append(Chain.end)
        after.append(Chain.end)
    }

    mutating func append(_ slot: Int, to chain: inout Chain) {
        before[slot] = chain.last
        after[slot] = Chain.end
        if chain.last == Chain.end { chain.first = slot } else { after[chain.last] = slot }
        chain.last = slot
        chain.count += 1
    }

    mutating func remove(_ slot: Int, from chain: inout Chain) {
        let (previous, next) = (before[slot], after[slot])
        if previous == Chain.end { chain.first = next } else { after[previous] = next }
        if next == Chain.end { chain.last = previous } else { before[next] = previous }
        chain.count -= 1
    }

    /// Moves a slot of the chain to its end.
    mutating func renew(_ slot: Int, in chain: inout Chain) {
        guard chain.last != slot else { return }
        remove(slot, from: &chain)
        append(slot, to: &chain)
    }
}
