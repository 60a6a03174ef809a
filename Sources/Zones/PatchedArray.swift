/// An array of which many versions live, each with few elements of its own.
///
/// What most elements are stands in an array that versions share; those that changed since, and those that came, stand
/// beside it. So a new version takes the time and memory of what differs, and `flatten` makes one array of it again.
@usableFromInline
package struct PatchedArray<Element: Sendable>: Sendable {
    @usableFromInline private(set) var base: [Element]
    /// Places in `base` → places in `values`.
    @usableFromInline var places = PatchPlaces()
    @usableFromInline var values: [Element] = []
    @usableFromInline var added: [Element] = []

    init(_ base: [Element] = []) { self.base = base }

    /// Elements that stand beside the shared array.
    var patchCount: Int { values.count + added.count }

    mutating func append(_ element: Element) { added.append(element) }

    /// Makes one array of it, in the time of a copy of all.
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

/// Numbers of elements and their places elsewhere: open addressing with linear probing, at most half full.
@usableFromInline struct PatchPlaces: Sendable {
    /// The number plus 1 above, the place below; 0: free.
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

    /// Enters a number that is not there.
    mutating func insert(_ number: Int, at place: Int) {
        if count * 2 >= slots.count { grow() }
        put(UInt64(number + 1) << 32 | UInt64(place))
        count += 1
    }

    /// In no order.
    var entries: [(number: Int, place: Int)] {
        slots.filter { $0 != 0 }.map { (Int($0 >> 32) - 1, Int($0 & 0xffff_ffff)) }
    }

    /// Numbers come in rows: a product spreads them (Fibonacci hashing).
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

/// The same for bytes that are only added to. What is given out in one piece lies in one piece.
@usableFromInline struct PatchedBytes: Sendable {
    @usableFromInline private(set) var base: [UInt8]
    @usableFromInline private(set) var added: [UInt8] = []

    init(_ base: [UInt8] = []) { self.base = base }

    var count: Int { base.count + added.count }

    mutating func append(_ bytes: [UInt8]) { added += bytes }

    /// Whether what stands at `place` is this version's own, and may be written over.
    func isOwn(_ place: Range<UInt32>) -> Bool { Int(place.lowerBound) >= base.count }

    /// Writes over bytes that are this version's own.
    mutating func replace(at place: Int, with bytes: [UInt8]) {
        let start = place - base.count
        added.replaceSubrange(start..<start + bytes.count, with: bytes)
    }

    /// Calls `body` with bytes that were added, or stood in the base, in one piece.
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
