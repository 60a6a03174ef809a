/// A table of names of which many versions live, each with few names of its own: what `PatchedArray` is for arrays.
@usableFromInline
package struct PatchedNames: Sendable {
    @usableFromInline private(set) var base: NameTable
    /// Names that came, behind those of `base`.
    @usableFromInline private(set) var added = NameTable()
    /// Names of `base` that are found no more.
    @usableFromInline private(set) var removed = PatchPlaces()

    init(_ base: NameTable) { self.base = base }

    /// How many names there are: the index of the next.
    @usableFromInline var count: Int { base.count + added.count }

    /// Names that came or went since the base.
    var patchCount: Int { added.count + removed.count }

    /// The index of `name` without its first `label` labels.
    package func find(_ name: LookupName, from label: Int) -> Int? {
        let index = base.find(name, from: label)
        return patchCount == 0 ? index : patched(index) ?? added.find(name, from: label).map { base.count + $0 }
    }

    /// The index of the name that `other` has at `index`.
    func find(nameAt index: Int, of other: PatchedNames) -> Int? {
        let (table, place) = other.place(index)
        guard !(patchCount == 0 && other.patchCount == 0) else { return base.find(nameAt: place, of: table) }
        guard other.patched(index) != nil else { return nil }
        return patched(base.find(nameAt: place, of: table))
            ?? added.find(nameAt: place, of: table).map { base.count + $0 }
    }

    private func place(_ index: Int) -> (table: NameTable, index: Int) {
        index < base.count ? (base, index) : (added, index - base.count)
    }

    /// `index`, unless the name there was removed.
    private func patched(_ index: Int?) -> Int? {
        guard let index, index < base.count else { return index }
        return removed[index] == nil ? index : nil
    }

    /// Enters `name` without its first `label` labels, which must not be there yet.
    mutating func insert(_ name: LookupName, from label: Int) { added.insert(name, from: label) }

    /// Makes the name at `index` one that is never found; its index stays taken.
    mutating func remove(at index: Int) {
        if index < base.count { removed.insert(index, at: 0) } else { added.remove(at: index - base.count) }
    }

    /// Calls `body` with the lower-cased wire form of the name at `index`; without bytes where it was removed.
    @inlinable @inline(__always)
    package func withName<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard index < base.count else { return added.withName(at: index - base.count, body) }
        guard removed.isEmpty || removed[index] == nil else {
            return body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return base.withName(at: index, body)
    }

    /// Makes one table of it, in the time of a copy of all.
    mutating func flatten() {
        guard patchCount > 0 else { return }
        var whole = base
        for (index, _) in removed.entries { whole.remove(at: index) }
        LookupName.withScratch { name in
            for index in 0..<added.count { whole.append(added, at: index, &name) }
        }
        self = PatchedNames(whole)
    }
}
