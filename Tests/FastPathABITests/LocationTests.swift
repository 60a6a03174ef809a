import CFastPathABI
import Testing

/// A location table that a test writes cell by cell, as `location.h` describes it.
private final class HandTable {
    /// 256 cells of words of /12s, 4,096 of words of /16s, and what the test adds.
    private var words = [UInt32](repeating: 0, count: 16 * (256 + 4096))

    static func leaf(_ place: UInt32, _ scope: UInt32) -> UInt32 { scope << 25 | place }

    func set(v4 first12: UInt32, _ word: UInt32) { words[Int(first12)] = word }

    func set(v6 first16: UInt32, _ word: UInt32) { words[16 * 256 + Int(first16)] = word }

    /// Adds cells; the word that leads to the first of them.
    func add(cells new: [UInt32]) -> UInt32 {
        let cell = UInt32(words.count / 16)
        words += new + [UInt32](repeating: 0, count: (16 - new.count % 16) % 16)
        return 0x8000_0000 | cell
    }

    /// Adds a node whose runs begin at these children; the word that leads to it.
    ///
    /// - Parameter inline: whether the runs' words stand in the node: at most five.
    func add(node runs: [(child: Int, word: UInt32)], inline: Bool) -> UInt32 {
        var starts = [UInt64](repeating: 0, count: 4)
        for run in runs { starts[run.child / 64] |= 1 << UInt64(run.child % 64) }
        let before = (0..<4).map { quarter in UInt32(runs.count { $0.child < 64 * quarter }) }
        var cell = starts.flatMap { [UInt32(truncatingIfNeeded: $0), UInt32($0 >> 32)] }
        cell += [before[0] | before[1] << 16, before[2] | before[3] << 16]
        let base = UInt32(words.count + 16)
        cell += inline ? [0] + runs.map(\.word) : [base]
        cell += [UInt32](repeating: 0, count: 16 - cell.count)
        return add(cells: cell + (inline ? [] : runs.map(\.word)))
    }

    func find(_ address: nc_address) -> [UInt32] {
        words.withUnsafeBytes { bytes in
            var table = nc_host_table(cells: bytes.baseAddress, count: UInt32(bytes.count / 64))
            let place = nc_location_find(&table, address)
            return [place.place, place.scope]
        }
    }

    func word(_ index: UInt32) -> UInt32 {
        words.withUnsafeBytes { bytes in
            var table = nc_host_table(cells: bytes.baseAddress, count: UInt32(bytes.count / 64))
            return nc_location_word(&table, index)
        }
    }

    func step(_ word: UInt32, _ byte: UInt32) -> UInt32 {
        words.withUnsafeBytes { bytes in
            var table = nc_host_table(cells: bytes.baseAddress, count: UInt32(bytes.count / 64))
            return nc_location_step(&table, word, byte)
        }
    }
}

@Suite("Addresses and the location table")
struct LocationTests {
    private static let leaf = HandTable.leaf

    @Test("bits are counted")
    func popcount() {
        var random = Numbers(6)
        for _ in 0..<2000 {
            let value = random.next() & random.next() | random.next() & random.next()
            #expect(nc_popcount64(value) == UInt32(value.nonzeroBitCount))
        }
        for bit in 0..<64 as Range<UInt64> {
            #expect(nc_popcount64(1 << bit) == 1 && nc_popcount64(~(1 << bit)) == 63)
            #expect(nc_popcount64(.max << bit) == UInt32(64 - bit))
        }
        #expect(nc_popcount64(0) == 0 && nc_popcount64(.max) == 64)
    }

    @Test("an address is cut to any number of bits, and keeps its family", arguments: 0...130 as ClosedRange<UInt32>)
    func mask(bits: UInt32) {
        let cut = nc_address_mask(.v6(.max, .max), bits)
        let ones = bits >= 128 ? UInt128.max : ~(UInt128.max >> UInt128(bits))
        #expect(UInt128(cut.hi) << 64 | UInt128(cut.lo) == ones && cut.family == UInt32(NC_FAMILY_V6))
        let v4 = nc_address_mask(.v4(0xdead_beef), bits)
        let expected =
            bits >= 32 ? 0xdead_beef : UInt32(truncatingIfNeeded: 0xdead_beef & ~(UInt64(0xffff_ffff) >> UInt64(bits)))
        #expect(v4.hi == UInt64(expected) << 32 && v4.lo == 0 && v4.family == UInt32(NC_FAMILY_V4))
    }

    @Test(
        "the cap is /24, /56, and for 6to4 the IPv4 one behind its sixteen bits",
        arguments: [
            (nc_address.v4(0x2002_0a00), false, 24), (.v4(0), false, 24), (.v6(0x2002_0a00_0001_0000), true, 40),
            (.v6(0x2002_0000_0000_0000), true, 40), (.v6(0x2002_ffff_ffff_ffff, .max), true, 40),
            (.v6(0x2001_ffff_ffff_ffff), false, 56), (.v6(0x2003_0000_0000_0000), false, 56),
            (.v6(0, 0x2002), false, 56),
        ] as [(nc_address, Bool, UInt32)])
    func caps(address: nc_address, isSixToFour: Bool, cap: UInt32) {
        #expect((nc_is_6to4(address) != 0) == isSixToFour)
        #expect(nc_scope_cap(address) == cap)
        var unwrapped = address
        #expect(nc_location_unwrap(&unwrapped) == (isSixToFour ? 16 : 0))
        #expect(unwrapped.family == (isSixToFour ? UInt32(NC_FAMILY_V4) : address.family))
        #expect(unwrapped.hi >> 32 == (isSixToFour ? address.hi >> 16 & 0xffff_ffff : address.hi >> 32))
        #expect(isSixToFour ? unwrapped.lo == 0 : unwrapped.hi == address.hi && unwrapped.lo == address.lo)
    }

    @Test("a leaf says its place and its depth, which is deeper by what was in front of the address")
    func leaves() {
        func read(_ word: UInt32, _ shift: UInt32) -> [UInt32] {
            let place = nc_location_leaf(word, shift)
            return [place.place, place.scope]
        }
        #expect(read(Self.leaf(0x1ff_ffff, 63), 0) == [0x1ff_ffff, 63])
        #expect(read(Self.leaf(1, 16), 0) == [1, 16] && read(Self.leaf(7, 24), 16) == [7, 40])
        #expect(read(Self.leaf(0x100_0000, 0), 0) == [0x100_0000, 0])
    }

    @Test("an IPv4 address is found by its first 12 bits, its /24, or in it")
    func v4() {
        let table = HandTable()
        table.set(v4: 0x0a0, Self.leaf(5, 16))
        let halves = table.add(node: [(0, Self.leaf(8, 24)), (128, Self.leaf(9, 24))], inline: true)
        var blocks = (0..<4096).map { Self.leaf(UInt32($0), 24) }
        blocks[0x306] = halves
        table.set(v4: 0x0a1, table.add(cells: blocks))
        table.set(v4: 0xfff, Self.leaf(6, 17))
        #expect(table.find(.v4(0x0a00_0000)) == [5, 16] && table.find(.v4(0x0a0f_ffff)) == [5, 16])
        #expect(table.find(.v4(0x0a10_00ff)) == [0, 24] && table.find(.v4(0x0a1f_ff00)) == [4095, 24])
        #expect(table.find(.v4(0x0a12_3456)) == [0x234, 24])
        #expect(table.find(.v4(0x0a13_0600)) == [8, 24] && table.find(.v4(0x0a13_067f)) == [8, 24])
        #expect(table.find(.v4(0x0a13_0680)) == [9, 24] && table.find(.v4(0x0a13_06ff)) == [9, 24])
        #expect(table.find(.v4(0x0a13_05ff)) == [0x305, 24] && table.find(.v4(0x0a13_0700)) == [0x307, 24])
        #expect(table.find(.v4(0x0a20_0000)) == [0, 0] && table.find(.v4(.max)) == [6, 17])
        // By 6to4, whatever stands behind the IPv4 address.
        #expect(table.find(.v6(0x2002_0a13_0680_ffff, .max)) == [9, 40])
        #expect(table.find(.v6(0x2002_0a00_0000_0000)) == [5, 32])
    }

    @Test("an IPv6 address is found by its first 16 bits, then eight bits deeper at a time down to its last")
    func v6() {
        let table = HandTable()
        var (hi, lo): (UInt64, UInt64) = (0x2400, 0)
        var word = Self.leaf(100, 56)
        // From the last byte up: at each depth the byte's own child is a run, and those around it are of other places.
        for depth in stride(from: 120, through: 16, by: -8) {
            let child = depth / 8 + 10
            word = table.add(
                node: [
                    (0, Self.leaf(UInt32(depth), 32)), (child, word), (child + 1, Self.leaf(UInt32(depth) + 1, 33)),
                ],
                inline: depth % 16 == 0)
        }
        table.set(v6: 0x2400, word)
        table.set(v6: 0xffff, Self.leaf(7, 32))
        for depth in stride(from: 16, through: 120, by: 8) {
            let byte = UInt64(depth / 8 + 10)
            if depth < 64 { hi = hi << 8 | byte } else { lo = lo << 8 | byte }
        }
        #expect(table.find(.v6(hi, lo)) == [100, 56])
        let address = UInt128(hi) << 64 | UInt128(lo)
        for depth in stride(from: 16, through: 120, by: 8) {
            let one = UInt128(1) << UInt128(120 - depth)
            for (other, place) in [(address - one, depth), (address + one, depth + 1)] {
                let found = table.find(.v6(UInt64(other >> 64), UInt64(truncatingIfNeeded: other)))
                #expect(found == [UInt32(place), UInt32(32 + place - depth)], "depth \(depth)")
            }
        }
        #expect(table.find(.v6(0x2401 << 48)) == [0, 0] && table.find(.v6(.max, .max)) == [7, 32])
    }

    @Test("a node's child has the word of the last run begun at or before it", arguments: 1...40)
    func runs(seed: Int) {
        var random = Numbers(UInt64(seed))
        let table = HandTable()
        let inline = seed.isMultiple(of: 2)
        let count = inline ? seed / 2 % 5 : [1, 63, 128, 200, 255][seed / 2 % 5]
        let children = [0] + (1...255).shuffled(using: &random).prefix(count).sorted()
        let runs = children.enumerated().map { (child: $0.element, word: UInt32($0.offset + 1)) }
        let node = table.add(node: runs, inline: inline)
        for child in 0...255 {
            let expected = runs.last { $0.child <= child }?.word
            #expect(table.step(node, UInt32(child)) == expected)
        }
    }

    @Test("what is outside the table, or a node that is none, is the unknown place")
    func outside() {
        let table = HandTable()
        let last = UInt32(16 * (256 + 4096) - 1)
        table.set(v6: 0xffff, 77)
        #expect(table.word(last) == 77 && table.word(last + 1) == 0 && table.word(.max) == 0)
        #expect(table.step(0x8000_0000 | (last + 1) / 16, 0) == 0)
        // Six runs cannot stand in a node.
        let node = table.add(node: (0..<5).map { (child: $0, word: 9) }, inline: true)
        let wrong = table.add(cells: [0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9])
        #expect(table.step(node, 4) == 9 && table.step(wrong, 4) == 9 && table.step(wrong, 5) == 0)
        // Before a first run there is none.
        #expect(table.step(table.add(cells: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]), 0) == 0)
    }
}
