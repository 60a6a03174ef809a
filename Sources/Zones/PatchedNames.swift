/// A table of names with many live versions that differ in few names: the equivalent of `PatchedArray`.
@usableFromInline
package struct PatchedNames: Sendable {
    @usableFromInline private(set) var base: NameTable
    /// Added names; their indices follow those of `base`.
    @usableFromInline private(set) var added = NameTable()
    /// Names of `base` that were removed.
    @usableFromInline private(set) var removed = PatchPlaces()

    init(_ base: NameTable) { self.base = base }

    /// Number of names, and the index of the next one.
    @usableFromInline var count: Int { base.count + added.count }

    /// Number of names added or removed since the base.
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

    /// Adds `name` without its first `label` labels. The result must not be in the table.
    mutating func insert(_ name: LookupName, from label: Int) { added.insert(name, from: label) }

    /// Removes the name at `index`: it is never found again. Its index is not reused.
    mutating func remove(at index: Int) {
        if index < base.count { removed.insert(index, at: 0) } else { added.remove(at: index - base.count) }
    }

    /// Calls `body` with the lower-case wire form of the name at `index`, or with no bytes if it was removed.
    @inlinable @inline(__always)
    package func withName<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard index < base.count else { return added.withName(at: index - base.count, body) }
        guard removed.isEmpty || removed[index] == nil else {
            return body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return base.withName(at: index, body)
    }

    /// Merges everything into one base table, at the cost of copying all names.
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
