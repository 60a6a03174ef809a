import CFastPathABI
import IPNetworks
import Location
import Testing

/// Random networks of 17 to 128 bits, crowded in four /24s.
private func crowded(seed: UInt64, networks: Int, lengths: ClosedRange<Int>) -> PlaceRanges<UInt128> {
    var random = SplitMix(state: seed)
    var places: [UInt128: UInt32] = [0: 0]
    for _ in 0..<networks {
        let length = Int.random(in: lengths, using: &random)
        let block = 0x2001_0c + UInt128.random(in: 0...3, using: &random)
        let address = block << 104 | UInt128.random(in: 0..<(1 << 104), using: &random)
        let start = address & (UInt128.max << UInt128(128 - length))
        places[start] = UInt32.random(in: 0...5, using: &random)
    }
    var ranges = PlaceRanges<UInt128>()
    for start in places.keys.sorted() { ranges.set(from: start, place: places[start] ?? 0) }
    return ranges
}

/// Index of the range that holds an address, by halving.
private func index(_ address: UInt128, _ starts: [UInt128]) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
        let middle = (low + high) / 2
        if starts[middle] <= address { low = middle } else { high = middle }
    }
    return low
}

/// The scope by its definition: the largest block around the address's /56 whose /56s all have one place, each throughout.
private func scope(of address: UInt128, in ranges: PlaceRanges<UInt128>) -> Int {
    func isOnePlace(_ length: Int) -> Bool {
        let first = address & (UInt128.max << UInt128(128 - length))
        return index(first, ranges.starts) == index(first | (UInt128.max >> UInt128(length)), ranges.starts)
    }
    return (32...55).first(where: isOnePlace) ?? 56
}

@Suite("IPv6 ranges in the location table")
struct IPv6RangeTests {
    @Test(
        "every address has the location that a search of the ranges finds, and the largest possible scope",
        arguments: [(1, 3, 40), (2, 50, 40), (3, 900, 56), (4, 20_000, 56), (5, 20_000, 64), (6, 3_000, 128)])
    func agrees(seed: Int, networks: Int, longest: Int) throws {
        let ranges = crowded(seed: UInt64(seed), networks: networks, lengths: 17...longest)
        let table = try LocationTable(v4: .init(), v6: ranges)
        var random = SplitMix(state: UInt64(seed) + 100)
        var wrong: [String] = []
        for round in 0..<20_000 {
            // Half at random, half at the edges of ranges, where errors live.
            let edge = ranges.starts[Int.random(in: 0..<ranges.starts.count, using: &random)]
            let block = UInt128.random(in: 0x2001_0b...0x2001_10, using: &random)
            let address =
                round % 2 == 0
                ? block << 104 | UInt128.random(in: 0..<(1 << 104), using: &random)
                : edge &- UInt128.random(in: 0...1, using: &random)
            let found = table.find(nc_address(.v6(address)))
            let expected = (ranges.places[index(address, ranges.starts)], scope(of: address, in: ranges))
            if (found.place, Int(found.scope)) != expected { wrong.append("\(IPAddress.v6(address))") }
        }
        #expect(wrong.isEmpty)
    }

    @Test("ranges that reach beyond a block do not end at its edge")
    func edges() throws {
        var ranges = PlaceRanges<UInt128>()
        ranges.set(from: UInt128(0x2001_0a) << 104, place: 1)
        // Ends one /56 before the block 2001:c00::/24 does; begins before it.
        ranges.set(from: UInt128(0x2001_0d) << 104 - 1 << 72, place: 2)
        ranges.set(from: UInt128(0x2001_0d) << 104 + 1 << 72, place: 3)
        ranges.set(from: UInt128(0x2001_0f) << 104, place: 0)
        let table = try LocationTable(v4: .init(), v6: ranges)
        func find(_ high: UInt64) -> nc_place {
            table.find(nc_address(hi: high, lo: 0, family: UInt32(NC_FAMILY_V6), reserved: 0))
        }
        for (high, place, scope) in [
            (0x2001_0c00_0000_0000, 1, 32), (0x2001_0cff_ffff_fe00, 1, 56), (0x2001_0cff_ffff_ff00, 2, 56),
            (0x2001_0d00_0000_0000, 2, 56), (0x2001_0d00_0000_0100, 3, 56), (0x2001_0d00_0000_0200, 3, 55),
            (0x2001_0dff_ffff_ff00, 3, 32), (0x2001_0eff_ffff_ff00, 3, 32), (0x2001_0f00_0000_0000, 0, 32),
        ] as [(UInt64, UInt32, UInt32)] {
            #expect(find(high).place == place, "\(String(high, radix: 16))")
            #expect(find(high).scope == scope, "\(String(high, radix: 16))")
        }
    }

    @Test(
        "a block can have a location for each of its networks",
        arguments: [1, 2, 7, 8, 113, 65_536])
    func sizes(count: Int) throws {
        var ranges = PlaceRanges<UInt128>()
        for number in 0..<UInt128(count) {
            ranges.set(from: (UInt128(0x2001_0c) << 104) + number << 80, place: UInt32(number) + 1)
        }
        ranges.set(from: UInt128(0x2001_0d) << 104, place: 9)
        let table = try LocationTable(v4: .init(), v6: ranges)
        for number in 0..<count {
            let address = (UInt128(0x2001_0c) << 104) + UInt128(number) << 80 + 5
            let found = table.find(nc_address(.v6(address)))
            if found.place != UInt32(number) + 1 { Issue.record("range \(number) of \(count)") }
        }
    }
}
