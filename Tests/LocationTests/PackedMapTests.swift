import Location
import Testing

@Suite("Packed maps")
struct PackedMapTests {
    @Test("ranges are the same after packing", arguments: [0, 1, 2, 500])
    func roundTrip(count: Int) {
        var random = SplitMix(state: UInt64(count) + 9)
        var starts = Set<UInt128>()
        for _ in 0..<count {
            let bits = UInt128(random.next()) << 64 | UInt128(random.next())
            starts.insert(
                (bits >> UInt128.random(in: 0...127, using: &random)) << UInt128.random(in: 0...9, using: &random))
        }
        if count > 1 { starts.formUnion([.max, .max - 1]) }
        var v4 = PlaceRanges<UInt32>()
        var v6 = PlaceRanges<UInt128>()
        for start in starts.sorted() {
            v6.set(from: start, place: UInt32.random(in: 0...UInt32.max, using: &random))
        }
        for start in Set(starts.map { UInt32(truncatingIfNeeded: $0) }).sorted() {
            v4.set(from: start, place: UInt32.random(in: 0...2, using: &random))
        }
        let same = PackedMap(PlaceMap(places: PlaceTable(), v4: v4, v6: v6)).map
        #expect(same.v4.starts == v4.starts)
        #expect(same.v4.places == v4.places)
        #expect(same.v6.starts == v6.starts)
        #expect(same.v6.places == v6.places)
    }

    @Test("a range of a power of two with a small location number takes three bytes")
    func small() {
        var ranges = PlaceRanges<UInt32>()
        for block in 1...UInt32(100) { ranges.set(from: block << 24, place: block) }
        #expect(PackedMap(PlaceMap(places: PlaceTable(), v4: ranges, v6: .init())).size == 3 * 102)
    }
}
