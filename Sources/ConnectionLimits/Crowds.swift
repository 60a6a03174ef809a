/// The crowds that have connections, in a heap with the next one to give way on top: most connections, then the idlest.
struct Crowds<Key: Hashable> {
    fileprivate struct Group {
        let key: Key
        var chain = Chain()
        /// The progress number of the chain's first slot.
        var idlest: UInt64
        /// Its index in `heap`.
        var position: Int

        func givesWay(before other: Group) -> Bool {
            chain.count != other.chain.count ? chain.count > other.chain.count : idlest < other.idlest
        }
    }

    private var groups: [Group?] = []
    private var free: [Int] = []
    private var indices: [Key: Int] = [:]
    private var heap: [Int] = []
    private var links = Links()

    /// The slot that gives way.
    var idlestOfMostCrowded: Int? { heap.first.flatMap { groups[$0]?.chain.first } }

    /// Slots of the most crowded.
    var most: Int { heap.first.flatMap { groups[$0]?.chain.count } ?? 0 }

    /// Crowds that have a slot.
    var count: Int { heap.count }

    func count(of key: Key) -> Int { indices[key].flatMap { groups[$0]?.chain.count } ?? 0 }

    /// Makes room for one more slot.
    mutating func grow() { links.grow() }

    /// Adds a slot as the least idle of all.
    ///
    /// - Returns: the number of its crowd, valid while the crowd has a slot.
    mutating func append(_ slot: Int, to key: Key, at progress: UInt64) -> Int {
        let group = indices[key] ?? open(key, at: progress)
        links.append(slot, to: &groups[group]!.chain)
        raise(groups[group]!.position)
        return group
    }

    mutating func renew(_ slot: Int, of group: Int, at progress: UInt64, progressOf: (Int) -> UInt64) {
        links.renew(slot, in: &groups[group]!.chain)
        groups[group]!.idlest = progressOf(groups[group]!.chain.first)
        settle(groups[group]!.position)
    }

    mutating func remove(_ slot: Int, of group: Int, progressOf: (Int) -> UInt64) {
        links.remove(slot, from: &groups[group]!.chain)
        let chain = groups[group]!.chain
        if chain.count > 0 {
            groups[group]!.idlest = progressOf(chain.first)
            settle(groups[group]!.position)
        } else {
            close(group)
        }
    }

    private mutating func open(_ key: Key, at progress: UInt64) -> Int {
        let group = Group(key: key, idlest: progress, position: heap.count)
        let index = free.popLast() ?? groups.count
        if index == groups.count { groups.append(group) } else { groups[index] = group }
        indices[key] = index
        heap.append(index)
        return index
    }

    private mutating func close(_ index: Int) {
        let group = groups[index]!
        let last = heap.count - 1
        swap(group.position, last)
        heap.removeLast()
        indices[group.key] = nil
        groups[index] = nil
        free.append(index)
        if group.position < last { settle(group.position) }
    }
}

// MARK: - The heap

extension Crowds {
    private mutating func settle(_ position: Int) {
        raise(position)
        sink(position)
    }

    private mutating func raise(_ position: Int) {
        var position = position
        while position > 0, isBefore(position, (position - 1) / 2) {
            swap(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
    }

    private mutating func sink(_ position: Int) {
        var position = position
        while true {
            var top = position
            for child in [2 * position + 1, 2 * position + 2] where child < heap.count && isBefore(child, top) {
                top = child
            }
            guard top != position else { return }
            swap(position, top)
            position = top
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        groups[heap[left]]!.givesWay(before: groups[heap[right]]!)
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        groups[heap[left]]!.position = left
        groups[heap[right]]!.position = right
    }
}

extension Crowds: Sendable where Key: Sendable {}
extension Crowds.Group: Sendable where Key: Sendable {}
