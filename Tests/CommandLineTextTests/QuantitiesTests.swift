import CommandLineText
import FoundationEssentials
import Testing

@Suite struct QuantitiesTests {
    @Test(
        "numbers are grouped by thousands",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (11_612_345, "11,612,345"), (-4_000, "-4,000")])
    func counts(value: Int, text: String) {
        #expect(Quantities.count(value) == text)
    }

    @Test("the largest counter of 64 bits is shown whole")
    func largestCount() {
        #expect(Quantities.count(UInt64.max) == "18,446,744,073,709,551,615")
    }

    @Test(
        "bytes use the unit that leaves at most three digits before the point",
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"), (10_240, "10 KiB"),
            (1_048_064, "1.0 MiB"), (33_554_432, "32 MiB"), (.max, "16 EiB"),
        ] as [(UInt64, String)])
    func bytes(value: UInt64, text: String) {
        #expect(Quantities.bytes(value) == text)
    }

    @Test(
        "percentages keep the digits of small parts",
        arguments: [
            (0, "0 %"), (1, "100 %"), (0.234, "23.4 %"), (0.0004, "0.04 %"), (0.000_01, "<0.01 %"),
            (0.999_99, "100.0 %"),
        ])
    func parts(value: Double, text: String) {
        #expect(Quantities.part(value) == text)
    }

    @Test(
        "distances below ten kilometres have a decimal",
        arguments: [(0, "0.0 km"), (3.44, "3.4 km"), (9.96, "10 km"), (5_312.4, "5,312 km")])
    func distances(value: Double, text: String) {
        #expect(Quantities.kilometres(value) == text)
    }

    @Test(
        "shares are percentages of 256 parts, and a small share is not shown as 0",
        arguments: [(256, "100 %"), (128, "50 %"), (1, "0.4 %"), (0, "0 %")])
    func shares(parts: Int, text: String) {
        #expect(Quantities.share(parts) == text)
    }

    @Test(
        "durations use the unit that fits",
        arguments: [
            (0.000_000_4, "0 µs"), (0.000_350, "350 µs"), (0.000_999_9, "1.0 ms"), (0.0125, "13 ms"), (0.9999, "1.0 s"),
            (12.3, "12 s"), (59.9, "1 min 0 s"), (312, "5 min 12 s"), (12_000, "3 h 20 min"), (1_051_200, "12 d 4 h"),
        ])
    func durations(seconds: Double, text: String) {
        #expect(Quantities.duration(seconds) == text)
    }

    @Test(
        "coordinates keep their sign and two places",
        arguments: [(50.1109, 8.6821, "50.11, 8.68"), (-33.8688, -0.001, "-33.87, 0.00"), (-0.05, 9, "-0.05, 9.00")])
    func coordinates(latitude: Double, longitude: Double, text: String) {
        #expect(Quantities.coordinates(latitude, longitude) == text)
    }

    @Test("times are printed in UTC, with the zone")
    func times() {
        #expect(Quantities.time(Date(timeIntervalSince1970: 1_700_000_000)) == "2023-11-14 22:13:20 UTC")
    }
}
