/// An array with many live versions that differ in few elements.
///
/// Versions share one base array. Elements that changed or were added since are stored separately, in each version. So
/// a new version costs time and memory for its differences only. `flatten` merges them into one array again.
@usableFromInline
package struct PatchedArray<Element: Sendable>: Sendable {
    @usableFromInline private(set) var base: [Element]
    /// Index in `base` → index in `values`.
    @usableFromInline var places = PatchPlaces()
    @usableFromInline var values: [Element] = []
    @usableFromInline var added: [Element] = []

    init(_ base: [Element] = []) { self.base = base }

    /// Number of elements stored outside the base array.
    var patchCount: Int { values.count + added.count }

    mutating func append(_ element: Element) { added.append(element) }

    /// Merges everything into one base array, at the cost of copying all elements.
    mutating func flatten() {
        guard patchCount > 0 else { return }
        var whole: [Element] = []
        whole.reserveCapacity(count)
        whole += base
        for (index, place) in places.entries { whole[index] = values[place] }
        whole += added
        self = PatchedArray(whole)
    }
}

extension PatchedArray: RandomAccessCollection {
    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { base.count + added.count }

    @usableFromInline package internal(set) subscript(index: Int) -> Element {
        @inlinable get {
            guard index < base.count else { return added[index - base.count] }
            // Most arrays have no patch.
            guard !values.isEmpty, let place = places[index] else { return base[index] }
            return values[place]
        }
        set {
            guard index < base.count else {
                added[index - base.count] = newValue
                return
            }
            if let place = places[index] {
                values[place] = newValue
            } else {
                places.insert(index, at: values.count)
                values.append(newValue)
            }
        }
    }
}

/// A map from numbers to positions: open addressing with linear probing, at most half full.
@usableFromInline struct PatchPlaces: Sendable {
    /// The number plus 1 in the upper half, the position in the lower; 0: free.
    private var slots: [UInt64] = []
    private(set) var count = 0

    @usableFromInline var isEmpty: Bool { count == 0 }

    @usableFromInline subscript(number: Int) -> Int? {
        guard count > 0 else { return nil }
        var slot = start(number)
        while slots[slot] != 0 {
            if slots[slot] >> 32 == UInt64(number + 1) { return Int(slots[slot] & 0xffff_ffff) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a number that is not in the map.
    mutating func insert(_ number: Int, at place: Int) {
        if count * 2 >= slots.count { grow() }
        put(UInt64(number + 1) << 32 | UInt64(place))
        count += 1
    }

    /// In no particular order.
    var entries: [(number: Int, place: Int)] {
        slots.filter { $0 != 0 }.map { (Int($0 >> 32) - 1, Int($0 & 0xffff_ffff)) }
    }

    /// Numbers are often consecutive: multiplication spreads them (Fibonacci hashing).
    private func start(_ number: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(number) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (slots.count - 1)
    }

    private mutating func put(_ entry: UInt64) {
        var slot = start(Int(entry >> 32) - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = entry
    }

    private mutating func grow() {
        let entries = slots.filter { $0 != 0 }
        slots = Array(repeating: 0, count: max(8, slots.count * 2))
        for entry in entries { put(entry) }
    }
}

/// The equivalent for bytes, to which one can only append. A range that was added in one piece is contiguous.
@usableFromInline struct PatchedBytes: Sendable {
    @usableFromInline private(set) var base: [UInt8]
    @usableFromInline private(set) var added: [UInt8] = []

    init(_ base: [UInt8] = []) { self.base = base }

    var count: Int { base.count + added.count }

    mutating func append(_ bytes: [UInt8]) { added += bytes }

    /// Whether the bytes at `place` belong to this version alone, so that they may be overwritten.
    func isOwn(_ place: Range<UInt32>) -> Bool { Int(place.lowerBound) >= base.count }

    /// Overwrites bytes that belong to this version alone.
    mutating func replace(at place: Int, with bytes: [UInt8]) {
        let start = place - base.count
        added.replaceSubrange(start..<start + bytes.count, with: bytes)
    }

    /// Calls `body` with a contiguous range of bytes: added in one piece, or part of the base.
    @inlinable @inline(__always)
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if range.lowerBound < base.count || added.isEmpty {
            return base.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
        let own = range.lowerBound - base.count..<range.upperBound - base.count
        return added.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[own])) }
    }

    mutating func flatten() {
        if !added.isEmpty { self = PatchedBytes(base + added) }
    }
}
