import ConfigurationModel
import ControlPlane
import ManagementTypes
import RoundTripMeter
import RoundTrips
import Telemetry

extension RoundTripLearner {
    /// Nil without `rtt`.
    var report: RoundTripsReport? {
        guard let current else { return nil }
        let settings = current.settings
        let rows = current.times.rows
        let counters = (try? current.meter?.count()) ?? RoundTripMeter.Counters()
        return RoundTripsReport(
            learning: LearningReport(
                node: settings.node, ports: settings.ports, file: settings.file.path, problem: current.problem,
                published: rows.count { $0.published != nil }, writtenAt: current.writtenAt),
            counted: counters.counted, unmeasured: counters.unmeasured, lost: counters.lost,
            unplaced: current.times.unplaced,
            places: rows.map {
                PlaceRoundTrip(
                    place: $0.place, connections: $0.connections,
                    median: $0.median.map { ($0 * 1000).rounded() / 1000 }, published: $0.published)
            })
    }

    var metrics: [MetricSample] {
        guard let report else { return [] }
        let results = [
            ("counted", report.counted), ("unmeasured", report.unmeasured), ("lost", report.lost),
            ("unplaced", report.unplaced),
        ]
        return results.map { result, count in
            MetricSample(
                "nearcast_rtt_connections_total", .counter,
                help:
                    "Closed connections to the ports of rtt, by result; counted includes unplaced.",
                labels: ["result": result], value: Double(count))
        } + [
            MetricSample(
                "nearcast_rtt_places", .gauge, help: "Locations with a round-trip time in the file of rtt.",
                value: Double(report.learning.published)),
            MetricSample(
                "nearcast_rtt_success", .gauge,
                help: "Whether round-trip times are measured, and their file was last written: 1 or 0.",
                value: report.learning.problem == nil ? 1 : 0),
        ]
    }
}
