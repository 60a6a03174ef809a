import CommandLineText
import Foundation
import ManagementTypes
import Testing

@Suite struct RoundTripsTextTests {
    private static let report = RoundTripsReport(
        learning: LearningReport(
            node: "fra1", ports: [443, 8443], file: "/var/lib/nearcast/rtt.csv", published: 2,
            writtenAt: Date(timeIntervalSince1970: 1_700_000_000)),
        counted: 48_211, unmeasured: 17, lost: 0, unplaced: 102,
        places: [
            PlaceRoundTrip(place: "DE", connections: 31_800, median: 9.16, published: 9.1),
            PlaceRoundTrip(place: "FR", connections: 3, published: 14.3),
            PlaceRoundTrip(place: "US-New York", connections: 7),
        ])

    @Test("learned times are shown with the connections behind them")
    func whole() {
        #expect(
            Self.report.text(.plain) == """
                node         fra1
                ports        443, 8443
                file         /var/lib/nearcast/rtt.csv, 2 places, written 2023-11-14 22:13:20 UTC
                connections  48,211 counted, 102 of them without a location; 17 without a time, 0 lost

                place        connections  median  in the file
                DE                31,800  9.2 ms       9.1 ms
                FR                     3              14.3 ms
                US-New York            7

                """)
    }

    @Test("a problem is shown")
    func problem() {
        var report = Self.report
        report.learning.problem = "the kernel takes no program"
        #expect(report.text(.plain).contains("\n\nthe kernel takes no program\n\n"))
    }

    @Test("lines for a latency file have the current median, or else the value of the file")
    func lines() { #expect(Self.report.csv == "DE,fra1,9.2\nFR,fra1,14.3\n") }
}
