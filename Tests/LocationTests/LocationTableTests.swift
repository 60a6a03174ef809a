import CFastPathABI
import IPNetworks
import Location
import Testing

/// A small generator with a fixed seed: failures repeat.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return nc_mix(state)
    }
}

/// The ranges as a plain function, the slow way.
private func placeOf<A>(_ address: A, in ranges: PlaceRanges<A>) -> UInt32 {
    let index = ranges.starts.lastIndex { $0 <= address } ?? 0
    return ranges.places[index]
}

/// Random networks of 4 to 32 bits in a few /8s, so that they crowd.
private func randomV4(seed: UInt64, networks: Int) -> PlaceRanges<UInt32> {
    var random = SplitMix(state: seed)
    var places = [UInt32: UInt32]()
    for _ in 0..<networks {
        let length = Int.random(in: 12...32, using: &random)
        let address =
            (UInt32.random(in: 1...3, using: &random) << 24 | UInt32.random(in: 0...0xff_ffff, using: &random))
        let start = address & (UInt32.max << UInt32(32 - length))
        places[start] = UInt32.random(in: 0...5, using: &random)
    }
    var ranges = PlaceRanges<UInt32>()
    for start in places.keys.sorted() { ranges.set(from: start, place: places[start] ?? 0) }
    return ranges
}

private func table(v4: PlaceRanges<UInt32> = .init(), v6: PlaceRanges<UInt128> = .init()) throws -> LocationTable {
    try LocationTable(v4: v4, v6: v6)
}

private func find(_ table: LocationTable, _ address: UInt32) -> nc_place { table.find(nc_address(.v4(address))) }

@Suite("Location table")
struct LocationTableTests {
    @Test("an empty table finds no location, with the shortest scope")
    func empty() throws {
        let table = try table()
        #expect(find(table, 0x0102_0304).place == 0)
        #expect(find(table, 0x0102_0304).scope == 16)
        #expect(table.find(nc_address(.v6(1 << 100))).scope == 32)
    }

    @Test("every address has the location that a search of the ranges finds", arguments: 1...6)
    func agreesWithRanges(seed: Int) throws {
        let ranges = randomV4(seed: UInt64(seed), networks: 3000)
        let table = try table(v4: ranges)
        var random = SplitMix(state: UInt64(seed) + 100)
        for index in 0..<6000 {
            // Half at random, half at the edges of ranges, where errors live.
            let edge = ranges.starts[Int.random(in: 0..<ranges.starts.count, using: &random)]
            let address =
                index % 2 == 0
                ? UInt32.random(in: 0..<(4 << 24), using: &random) : edge &- UInt32.random(in: 0...1, using: &random)
            #expect(find(table, address).place == placeOf(address, in: ranges))
        }
    }

    @Test("the scope is the length of the largest block with one location, between /16 and /24")
    func scopeOfLeaf() throws {
        var ranges = PlaceRanges<UInt32>()
        ranges.set(from: 0x0a00_0000, place: 1)  // 10.0.0.0/8
        ranges.set(from: 0x0a80_0000, place: 2)  // 10.128.0.0/20
        ranges.set(from: 0x0a80_1000, place: 3)  // 10.128.16.0/24
        ranges.set(from: 0x0a80_1100, place: 1)  // to the end of 10/8
        ranges.set(from: 0x0b00_0000, place: 0)
        let table = try table(v4: ranges)
        #expect(find(table, 0x0a01_0203).scope == 16)
        #expect(find(table, 0x0a80_0001).scope == 20)
        #expect(find(table, 0x0a80_1001).scope == 24)
        #expect(find(table, 0x0a80_1101).scope == 24)
        #expect(find(table, 0x0a80_1201).scope == 23)
        #expect(find(table, 0x0a80_8001).scope == 17)
    }

    @Test("scopes never overlap: all addresses of a block have its scope and location", arguments: 1...4)
    func scopesAreDisjoint(seed: Int) throws {
        let table = try table(v4: randomV4(seed: UInt64(seed), networks: 2000))
        var random = SplitMix(state: UInt64(seed) + 7)
        for _ in 0..<2000 {
            let block = UInt32.random(in: 0..<(4 << 24), using: &random) & 0xffff_ff00
            let found = find(table, block)
            let first = nc_address_mask(nc_address(.v4(block)), found.scope)
            #expect(table.find(first).scope == found.scope)
            #expect(table.find(first).place == found.place)
            let inside = UInt32.random(in: 0...(UInt32.max >> found.scope), using: &random)
            let other = (UInt32(truncatingIfNeeded: first.hi >> 32) | inside) & 0xffff_ff00
            #expect(find(table, other).scope == found.scope)
            #expect(find(table, other).place == found.place)
        }
    }

    @Test("a block with finer data has the longest scope, and full addresses still have their own locations")
    func mixedBlock() throws {
        var ranges = PlaceRanges<UInt32>()
        ranges.set(from: 0x0a00_0000, place: 1)
        ranges.set(from: 0x0a00_0080, place: 2)
        ranges.set(from: 0x0a00_0100, place: 1)
        ranges.set(from: 0x0b00_0000, place: 0)
        let table = try table(v4: ranges)
        #expect(find(table, 0x0a00_0000).place == 1)
        #expect(find(table, 0x0a00_0080).place == 2)
        #expect(find(table, 0x0a00_0000).scope == 24)
        #expect(find(table, 0x0a00_0080).scope == 24)
        #expect(find(table, 0x0a00_0100).scope == 24)
        #expect(find(table, 0x0a00_0200).scope == 23)
        #expect(table.mixedBlocks == 1)
    }

    @Test("single IPv6 addresses have their own locations, with a scope of at most /56")
    func ipv6() throws {
        let base = UInt128(0x2001_0db8) << 96
        var ranges = PlaceRanges<UInt128>()
        ranges.set(from: base, place: 1)
        ranges.set(from: base + (1 << 80), place: 2)  // second /48
        ranges.set(from: base + (1 << 80) + 5, place: 3)  // one address in it
        ranges.set(from: base + (1 << 80) + 6, place: 2)
        ranges.set(from: base + (1 << 96), place: 0)
        let table = try table(v6: ranges)
        func find(_ offset: UInt128) -> nc_place { table.find(nc_address(.v6(base + offset))) }
        #expect(find(0).place == 1)
        #expect(find(0).scope == 48)
        #expect(find((1 << 80) + 5).place == 3)
        #expect(find((1 << 80) + 4).place == 2)
        #expect(find((1 << 80) + 6).place == 2)
        #expect((32...56).contains(find((1 << 80) + 5).scope))
    }

    @Test("a 6to4 address has the location of its IPv4 address, with a scope sixteen bits longer")
    func sixToFour() throws {
        var ranges = PlaceRanges<UInt32>()
        ranges.set(from: 0x0a00_0000, place: 7)
        ranges.set(from: 0x0a00_0100, place: 0)
        let table = try table(v4: ranges)
        let address = IPAddress("2002:a00:5::1").map(nc_address.init)
        #expect(try table.find(#require(address)).place == 7)
        #expect(try table.find(#require(address)).scope == 40)
    }

    @Test("every /24 can have its own location")
    func everyBlockDiffers() throws {
        var ranges = PlaceRanges<UInt32>()
        for block in 0..<UInt32(65536) { ranges.set(from: 0x0a00_0000 | block << 8, place: block + 1) }
        ranges.set(from: 0x0b00_0000, place: 0)
        let table = try table(v4: ranges)
        for block in 0..<UInt32(65536) {
            #expect(find(table, 0x0a00_0000 | block << 8 | 77).place == block + 1)
        }
        #expect(find(table, 0x0aff_ff00).scope == 24)
        #expect(find(table, 0x0b00_0000).place == 0)
    }

    @Test("a /8 with a single location needs no blocks")
    func emptyOctetsAreSmall() throws {
        var ranges = PlaceRanges<UInt32>()
        for octet in 1..<UInt32(100) { ranges.set(from: octet << 24, place: octet) }
        let small = try table(v4: ranges)
        #expect(small.cellCount == Int(NC_WIDE_CELLS + NC_ROOT_CELLS))
        #expect(find(small, 0x6302_0304).place == 99)
        ranges.set(from: 0x6300_0100, place: 1)
        #expect(try table(v4: ranges).cellCount == Int(NC_WIDE_CELLS + NC_ROOT_CELLS + NC_BLOCK_CELLS))
    }

    @Test("a location number that the layout cannot hold is refused")
    func tooManyPlaces() {
        var ranges = PlaceRanges<UInt32>()
        ranges.set(from: 1, place: 1 << 25)
        #expect(throws: LocationTableError.tooManyPlaces((1 << 25) + 1, limit: 1 << 25)) { try table(v4: ranges) }
    }
}

@Suite("Blocks of the location table")
struct LocationBlockTests {
    @Test("blocks of IPv4 are contiguous, and each has the location of its addresses", arguments: 1...3)
    func v4(seed: Int) throws {
        let table = try table(v4: randomV4(seed: UInt64(seed), networks: 2000))
        var next: UInt64 = 0
        var wrong = 0
        table.forEachBlock(.v4) { first, length, place in
            if first.hi >> 32 != next || !(16...24).contains(length) { wrong += 1 }
            if Int(find(table, UInt32(next)).place) != place { wrong += 1 }
            next += 1 << UInt64(32 - length)
        }
        #expect(next == 1 << 32)
        #expect(wrong == 0)
    }

    @Test("blocks of IPv6 are in order without repetition, and of undivided networks only the first is listed")
    func v6() throws {
        var ranges = PlaceRanges<UInt128>()
        ranges.set(from: 0, place: 0)
        // 2001:db8::/32 and 2a00:1400::/22; 3000::/4 is one place throughout.
        for (start, length, place) in [(0x2001_0db8, 32, 1), (0x2a00_1400, 22, 2), (0x3000_0000, 4, 3)]
            as [(UInt128, Int, UInt32)]
        {
            ranges.set(from: start << 96, place: place)
            ranges.set(from: start << 96 + 1 << UInt128(128 - length), place: 0)
        }
        let table = try table(v6: ranges)
        var blocks: [UInt32: Int] = [:]
        var last: UInt64 = 0
        var wrong = 0
        table.forEachBlock(.v6) { first, length, place in
            if first.hi < last { wrong += 1 }
            last = first.hi + (1 << UInt64(64 - length) - 1)
            blocks[UInt32(place), default: 0] += 1
        }
        #expect(wrong == 0)
        #expect(blocks[1] == 1)
        #expect(blocks[2] == 1024)
        // A block for each of 3000::/16 to 3fff::/16.
        #expect(blocks[3] == 4096)
    }
}
