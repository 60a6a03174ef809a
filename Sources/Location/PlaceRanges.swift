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
    /// first address (`docs/architecture.md`, law 5).
    func capped(to cap: Int) -> PlaceRanges {
        let blockBits = Address.bitWidth - cap
        let low: Address = (1 << blockBits) - 1
        var result = PlaceRanges()
        result.reserveCapacity(starts.count)
        for (start, place) in zip(starts, places) {
            let (up, overflow) = start.addingReportingOverflow(low)
            // A range that begins inside the last block rules no block's first address.
            if overflow { break }
            result.set(from: up & ~low, place: place)
        }
        return result
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
