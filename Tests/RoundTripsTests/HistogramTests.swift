import CFastPathABI
import RoundTrips
import Testing

@Suite("Round-trip histograms")
struct HistogramTests {
    @Test("buckets are contiguous, and each contains its own start")
    func buckets() {
        for bucket in 0..<UInt32(NC_RTT_BUCKETS) {
            let start = nc_rtt_bucket_start(bucket)
            #expect(nc_rtt_bucket(start) == bucket)
            if bucket > 0 { #expect(nc_rtt_bucket(start - 1) == bucket - 1) }
        }
    }

    @Test(
        "a time outside all buckets counts in the first or the last",
        arguments: [(0, 0), (15, 0), (16, 0), (0x3ff_ffff, 351), (.max, 351)] as [(UInt32, Int)])
    func ends(time: UInt32, bucket: Int) { #expect(Int(nc_rtt_bucket(time)) == bucket) }

    @Test(
        "the median of one time is within 3.2 % of it", arguments: Array(stride(from: 20, to: 60_000_000, by: 777_777)))
    func oneTime(microseconds: Int) throws {
        var histogram = RoundTripHistogram()
        for _ in 0..<9 { histogram.add(bucket: Int(nc_rtt_bucket(UInt32(microseconds))), weight: 1) }
        let median = try #require(histogram.median) * 1000
        #expect(abs(median - Double(microseconds)) <= 0.032 * Double(microseconds), "\(median)")
    }

    @Test("a minority of connections does not move the median")
    func robust() throws {
        var histogram = RoundTripHistogram()
        for _ in 0..<51 { histogram.add(bucket: Int(nc_rtt_bucket(10_000)), weight: 1) }
        for _ in 0..<49 { histogram.add(bucket: Int(nc_rtt_bucket(60_000_000)), weight: 1) }
        #expect(abs(try #require(histogram.median) - 10) < 0.7)
        #expect(histogram.connections == 100)
    }

    @Test("halving keeps the median and halves the connections, so newer ones weigh more")
    func halving() throws {
        var histogram = RoundTripHistogram()
        #expect(histogram.median == nil)
        for _ in 0..<64 { histogram.add(bucket: Int(nc_rtt_bucket(10_000)), weight: 1) }
        let before = try #require(histogram.median)
        histogram.halve()
        #expect(histogram.connections == 32 && histogram.median == before)
        for _ in 0..<40 { histogram.add(bucket: Int(nc_rtt_bucket(80_000)), weight: 1) }
        #expect(try #require(histogram.median) > 75)
    }
}
