/// The place of each address of a family, as consecutive ranges.
///
/// A range extends from its start to the start of the next one; the last extends to the end of the address space.
/// Places are numbers that the reader of the data assigns; 0 is the unknown place. Adjacent ranges of one place are
/// merged.
public struct PlaceRanges<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    // Written by an inlinable method, because another module sets millions of ranges.
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

    /// Assigns the addresses from `start` on to `place`, up to the start that is set next.
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

    /// Merges the last range with its predecessor if both have the same place.
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

    /// The data as an ECS sender can distinguish it: every block of `cap` bits takes the place of its first address
    /// (`docs/architecture.md`, law 5). A block that holds finer data is not merged with neighbours of the same place,
    /// so that no scope shorter than the cap covers it.
    func capped(to cap: Int) -> PlaceRanges {
        let low: Address = (1 << (Address.bitWidth - cap)) - 1
        var result = PlaceRanges()
        result.reserveCapacity(starts.count)
        var mixed: Address?
        for (index, start) in starts.enumerated() {
            let block = start & ~low
            if start != block {
                // The previous range extends into this block, so it contains the block's first address.
                if mixed != block { result.begin(at: block, place: places[index - 1]) }
                mixed = block
            }
            let (next, overflow) = start.addingReportingOverflow(start == block ? 0 : low)
            // A range that begins inside the last block contains no block's first address.
            if overflow { break }
            result.begin(at: next & ~low, place: places[index])
        }
        return result
    }

    /// Begins a separate range at `start`, even after one of the same place.
    private mutating func begin(at start: Address, place: UInt32) {
        if storedStarts[storedStarts.count - 1] == start {
            storedPlaces[storedPlaces.count - 1] = place
        } else {
            storedStarts.append(start)
            storedPlaces.append(place)
        }
    }

    /// Depth of the largest aligned block that contains `address` and lies within its range.
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
