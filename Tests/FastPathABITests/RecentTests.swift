import CFastPathABI
import Testing

@Suite("Recent blocks")
struct RecentTests {
    @Test("a /24 has one of 32,768 places, and neighbours have different ones")
    func places() {
        // 0x9e3779b1 begins with 100111100011011.
        #expect(nc_recent_at(0) == 0 && nc_recent_at(1) == 0b100_1111_0001_1011)
        let places = (0..<(1 << 13) as Range<UInt32>).map { nc_recent_at(0xc6_3300 + $0) }
        #expect(Set(places).count == places.count && places.allSatisfy { $0 < 1 << 15 })
        for block in [0xff_ffff, 0x80_0000, 0x12_3456] as [UInt32] {
            #expect(nc_recent_at(block) == UInt32(UInt64(block) * 0x9e37_79b1 % (1 << 32) / (1 << 17)))
        }
    }

    @Test("an entry of a whole block tells the leaf of each of its addresses, and of no other block's")
    func block() {
        let entry = nc_recent_entry(0xc633_6407, NC_RECENT_BLOCK, 0xdead_beef)
        #expect(entry == 0xc633_6401_dead_beef)
        for host in 0...255 as ClosedRange<UInt32> { #expect(nc_recent_tells(entry, 0xc633_6400 | host) != 0) }
        for other in [0xc633_6500, 0xc633_6300, 0xc633_6501, 0x4633_6400, 0] as [UInt32] {
            #expect(nc_recent_tells(entry, other) == 0)
        }
    }

    @Test("an entry of the first address tells its leaf, and of no other address of the block")
    func first() {
        let entry = nc_recent_entry(0xc633_6400, NC_RECENT_FIRST, 1)
        #expect(entry == 0xc633_6402_0000_0001)
        #expect(nc_recent_tells(entry, 0xc633_6400) != 0)
        for host in 1...255 as ClosedRange<UInt32> { #expect(nc_recent_tells(entry, 0xc633_6400 | host) == 0) }
        #expect(nc_recent_tells(entry, 0xc633_6500) == 0)
    }

    @Test("an empty entry tells nothing, not even of 0.0.0.0, and one of another kind neither")
    func empty() {
        for address in [0, 1, 255, 256, 0xc633_6400] as [UInt32] { #expect(nc_recent_tells(0, address) == 0) }
        for kind in [0, 3, 255] as [UInt64] { #expect(nc_recent_tells((0xc633_6400 | kind) << 32, 0xc633_6400) == 0) }
    }
}

@Suite("Buckets of round-trip times")
struct RoundTripBucketTests {
    @Test(
        "sixteen buckets to each doubling",
        arguments: [
            (0, 0), (15, 0), (16, 0), (17, 1), (31, 15), (32, 16), (33, 16), (34, 17), (63, 31), (64, 32), (67, 32),
            (68, 33), (1000, 16 * 5 + 15), (1023, 16 * 5 + 15), (1024, 16 * 6), (0x3ff_ffff, 351), (.max, 351),
        ] as [(UInt32, UInt32)])
    func buckets(microseconds: UInt32, bucket: UInt32) { #expect(nc_rtt_bucket(microseconds) == bucket) }

    @Test("a bucket begins where the one before it ends")
    func starts() {
        for bucket in 0..<NC_RTT_BUCKETS {
            let (doublings, step) = (bucket / 16, bucket % 16)
            let start = nc_rtt_bucket_start(bucket)
            #expect(start == (16 + step) * (1 << doublings))
            #expect(nc_rtt_bucket(start) == bucket)
            if bucket > 0 { #expect(nc_rtt_bucket(start - 1) == bucket - 1) }
        }
    }
}
