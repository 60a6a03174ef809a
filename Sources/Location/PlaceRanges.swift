/// Which place each address of a family belongs to, as consecutive ranges.
///
/// A range reaches from its start to the next range's start, the last to the end of the address space.
/// Places are numbers given by whoever read the data; 0 is the unknown place. Neighbours of one place are
/// one range.
public struct PlaceRanges<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    // Written by an inlinable method, because millions of ranges are set by another module.
    @usableFromInline var storedStarts: [Address] = [0]
    @usableFromInline var storedPlaces: [UInt32] = [0]

    /// First address of each range, strictly increasing; the first is 0.
    public var starts: [Address] { storedStarts }
    /// Place of each range.
    public var places: [UInt32] { storedPlaces }

    @inlinable
    public init() {}

    @inlinable
    public mutating func reserveCapacity(_ ranges: Int) {
        storedStarts.reserveCapacity(ranges)
        storedPlaces.reserveCapacity(ranges)
    }

    /// From `start` on, up to whatever is set next, addresses belong to `place`.
    ///
    /// - Precondition: `start` is not below the start set last.
    @inlinable
    public mutating func set(from start: Address, place: UInt32) {
        let last = storedStarts.count - 1
        precondition(start >= storedStarts[last], "ranges are set in order of address")
        if start == storedStarts[last] {
            storedPlaces[last] = place
            mergeLast()
        } else if storedPlaces[last] != place {
            storedStarts.append(start)
            storedPlaces.append(place)
        }
    }

    /// A range that took its neighbour's place is one with it.
    @usableFromInline
    mutating func mergeLast() {
        let last = storedStarts.count - 1
        guard last > 0, storedPlaces[last - 1] == storedPlaces[last] else { return }
        storedStarts.removeLast()
        storedPlaces.removeLast()
    }

    /// The same ranges with other numbers: place `p` becomes `numbers[p]`.
    @inlinable
    public func renumbered(_ numbers: [UInt32]) -> PlaceRanges {
        var result = PlaceRanges()
        result.reserveCapacity(storedStarts.count)
        for index in storedStarts.indices {
            result.set(from: storedStarts[index], place: numbers[Int(storedPlaces[index])])
        }
        return result
    }

    /// The same data as a sender of ECS may tell it apart: every block of `cap` bits takes the place of its
    /// first address (`docs/architecture.md`, law 5). A block that holds finer data stays apart from neighbours of the
    /// same place, so that no scope shorter than the cap vouches for it.
    func capped(to cap: Int) -> PlaceRanges {
        let low: Address = (1 << (Address.bitWidth - cap)) - 1
        var result = PlaceRanges()
        result.reserveCapacity(starts.count)
        var mixed: Address?
        for (index, start) in starts.enumerated() {
            let block = start & ~low
            if start != block {
                // The range before reaches into this block, so it begins no later: it holds the first address.
                if mixed != block { result.begin(at: block, place: places[index - 1]) }
                mixed = block
            }
            let (next, overflow) = start.addingReportingOverflow(start == block ? 0 : low)
            // A range that begins inside the last block rules no block's first address.
            if overflow { break }
            result.begin(at: next & ~low, place: places[index])
        }
        return result
    }

    /// Starts a range of its own at `start`, also beside one of the same place.
    private mutating func begin(at start: Address, place: UInt32) {
        if storedStarts[storedStarts.count - 1] == start {
            storedPlaces[storedPlaces.count - 1] = place
        } else {
            storedStarts.append(start)
            storedPlaces.append(place)
        }
    }

    /// Depth of the largest aligned block around `address` that lies within its range.
    func depth(of address: Address, range: Int) -> Int {
        var depth = 0
        if range > 0 {
            depth = (address ^ (starts[range] - 1)).leadingZeroBitCount + 1
        }
        if range + 1 < starts.count {
            depth = max(depth, (address ^ starts[range + 1]).leadingZeroBitCount + 1)
        }
        return depth
    }
}
