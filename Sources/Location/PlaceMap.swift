/// Places by number, and the place of every address.
public struct PlaceMap: Sendable {
    public let places: PlaceTable
    public let v4: PlaceRanges<UInt32>
    public let v6: PlaceRanges<UInt128>

    /// - Precondition: Every number in the ranges is that of a place.
    public init(places: PlaceTable, v4: PlaceRanges<UInt32>, v6: PlaceRanges<UInt128>) {
        self.places = places
        self.v4 = v4
        self.v6 = v6
    }
}

/// A map stored for later use, in a third of the memory.
public struct PackedMap: Sendable {
    public let places: PlaceTable
    private let v4: PackedRanges<UInt32>
    private let v6: PackedRanges<UInt128>

    public init(_ map: PlaceMap) {
        places = map.places
        v4 = PackedRanges(map.v4)
        v6 = PackedRanges(map.v6)
    }

    public var map: PlaceMap { PlaceMap(places: places, v4: v4.ranges, v6: v6.ranges) }

    /// Bytes of both families' ranges.
    public var size: Int { v4.size + v6.size }
}

/// An order by size, the largest first. 0 stays 0, and equal sizes keep their order.
///
/// - Parameter sizes: by current number, each at most 2^32.
/// - Returns: the current numbers in their new order.
public func orderBySize(_ sizes: [UInt64]) -> [UInt32] {
    precondition(sizes.count < 1 << 31, "a size and a number fit 64 bits")
    var keys = sizes.enumerated().map { ((1 << 32) - $0.element) << 31 | UInt64($0.offset) }
    if !keys.isEmpty { keys[0] = 0 }
    keys.sort()
    return keys.map { UInt32($0 & 0x7fff_ffff) }
}

/// The place of each number in an order: `order[ranks[n]] == n`.
public func ranks(of order: [UInt32]) -> [UInt32] {
    var ranks = [UInt32](repeating: 0, count: order.count)
    for (rank, number) in order.enumerated() { ranks[Int(number)] = UInt32(rank) }
    return ranks
}
