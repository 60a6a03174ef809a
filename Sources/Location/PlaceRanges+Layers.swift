extension PlaceRanges {
    /// Ranges from nested or disjoint blocks. Addresses that no block covers are 0.
    ///
    /// - Parameters:
    ///   - blocks: in any order. No two overlap unless one contains the other.
    ///   - nest: the value of a block inside another, from the outer value (0 for none) and its own.
    init(blocks: [(first: Address, last: Address, value: UInt32)], nest: (UInt32, UInt32) -> UInt32) {
        self.init()
        var open: [(last: Address, value: UInt32)] = []
        let sorted = blocks.sorted { $0.first != $1.first ? $0.first < $1.first : $0.last > $1.last }
        for block in sorted {
            while let inner = open.last, inner.last < block.first { close(&open) }
            let value = nest(open.last?.value ?? 0, block.value)
            set(from: block.first, place: value)
            open.append((block.last, value))
        }
        while !open.isEmpty { close(&open) }
    }

    /// Ends the innermost open block. After it, the surrounding block continues.
    private mutating func close(_ open: inout [(last: Address, value: UInt32)]) {
        let (next, isEnd) = open.removeLast().last.addingReportingOverflow(1)
        if !isEnd { set(from: next, place: open.last?.value ?? 0) }
    }

    /// The ranges cut at the boundaries of both, with a value computed from both.
    ///
    /// - Parameter value: computes it from this range's value and the upper one's.
    func combined(with upper: PlaceRanges, _ value: (UInt32, UInt32) throws -> UInt32) rethrows -> PlaceRanges {
        var result = PlaceRanges()
        result.reserveCapacity(starts.count + upper.starts.count)
        var (own, other) = (0, 0)
        while true {
            result.set(
                from: max(storedStarts[own], upper.storedStarts[other]),
                place: try value(storedPlaces[own], upper.storedPlaces[other]))
            let (hasNext, hasOther) = (own + 1 < storedStarts.count, other + 1 < upper.storedStarts.count)
            if !hasNext, !hasOther { return result }
            // Advances the range that ends first, or both if they end together.
            let next = hasNext ? storedStarts[own + 1] : .max
            let otherNext = hasOther ? upper.storedStarts[other + 1] : .max
            if hasNext, !hasOther || next <= otherNext { own += 1 }
            if hasOther, !hasNext || otherNext <= next { other += 1 }
        }
    }

    /// Number of addresses of each place, for places below `count`.
    public func sizes(count: Int) -> [UInt64] where Address == UInt32 {
        var sizes = [UInt64](repeating: 0, count: count)
        for index in storedStarts.indices {
            let end = index + 1 < storedStarts.count ? UInt64(storedStarts[index + 1]) : 1 << 32
            sizes[Int(storedPlaces[index])] += end - UInt64(storedStarts[index])
        }
        return sizes
    }
}
