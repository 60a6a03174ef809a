import CFastPathABI
package import ControlFailures
import ControlPlane
import FastPathPlan
import Foundation
import HealthChecks
import ManagementTypes
import ModelCompiler
import Resolution
import StateStore
package import Telemetry

/// Metrics, from the state and the counters of the paths.
extension Operations {
    package func metrics() async throws(ControlFailure) -> [MetricSample] {
        let parts = try parts()
        let (state, counters) = (parts.state.current, await counters(parts))
        let model = state.served.loaded.model
        var samples = [
            MetricSample("nearcast_epoch", .gauge, help: "Number of the model in use.", value: Double(model.epoch)),
            MetricSample(
                "nearcast_model_info", .gauge, help: "1, with the digest of the model in use.",
                labels: ["digest": model.digest.hexadecimal], value: 1),
            MetricSample(
                "nearcast_start_time_seconds", .gauge, help: "When the daemon started, in seconds since 1970.",
                value: startedAt.timeIntervalSince1970),
        ]
        if let overlay = state.fastPath.overlay {
            samples.append(
                MetricSample(
                    "nearcast_overlay_names", .gauge,
                    help: "Names and shared replies changed in the program's tables since they were filled.",
                    value: Double(overlay.count)))
        }
        samples += reloadMetrics(state.reloads) + zoneMetrics(state.served.loaded)
        for (index, name) in FastPathCounter.names.enumerated() {
            guard let value = counters.fastPath[name] else { continue }
            samples.append(
                index < FastPathCounter.verdictCount
                    ? MetricSample(
                        "nearcast_fast_path_packets_total", .counter,
                        help: "Packets seen by the XDP program, by verdict.",
                        labels: ["verdict": name], value: Double(value))
                    : MetricSample(
                        "nearcast_fast_path_events_total", .counter, help: "Events of the XDP program.",
                        labels: ["event": name], value: Double(value)))
        }
        for (name, value) in counters.slowPath.sorted(by: { $0.key < $1.key }) {
            samples.append(
                MetricSample(
                    "nearcast_slow_path_queries_total", .counter, help: "Queries that user space saw, by verdict.",
                    labels: ["verdict": name], value: Double(value)))
        }
        if let limit = parts.slowPath.resolver.settings.rateLimit, limit.rule.isDryRun {
            let counts = limit.dryRunCounts
            for (event, value) in [("rate_would_drop", counts.dropped), ("rate_would_slip", counts.slipped)] {
                samples.append(
                    MetricSample(
                        "nearcast_slow_path_events_total", .counter, help: "Events of user space.",
                        labels: ["event": event], value: Double(value)))
            }
        }
        samples.append(
            MetricSample(
                "nearcast_handovers_expired_total", .counter,
                help: "Takeovers that this daemon took back, since the successor was silent for too long.",
                value: Double(parts.life.current.lateCount)))
        samples += parts.listenerMetrics() + journalMetrics(parts.store) + (state.nodes?.metrics ?? [])
        samples += probeMetrics(parts.prober.counters)
        samples += await parts.roundTrips.metrics
        return samples
    }

    private func reloadMetrics(_ reloads: ReloadHistory) -> [MetricSample] {
        let help = "Reloads, by what came of them."
        var samples = [("changed", reloads.changed), ("unchanged", reloads.unchanged), ("refused", reloads.refused)]
            .map { result, count in
                MetricSample(
                    "nearcast_reloads_total", .counter, help: help, labels: ["result": result], value: Double(count))
            }
        samples.append(
            MetricSample(
                "nearcast_last_reload_success", .gauge,
                help: "Whether the last reload took over everything, 1 or 0; 1 before the first.",
                value: reloads.problems.isEmpty ? 1 : 0))
        if let last = reloads.lastAt {
            samples.append(
                MetricSample(
                    "nearcast_last_reload_time_seconds", .gauge,
                    help: "When the last reload ended, in seconds since 1970.", value: last.timeIntervalSince1970))
        }
        return samples
    }

    private func probeMetrics(_ counters: ProbeCounters) -> [MetricSample] {
        let results = [("passed", counters.passed), ("failed", counters.failed), ("unasked", counters.unasked)]
        return results.map { result, count in
            MetricSample(
                "nearcast_probes_total", .counter, help: "Probes of nodes, by what came of them.",
                labels: ["result": result], value: Double(count))
        } + [
            MetricSample(
                "nearcast_probes_delayed_total", .counter,
                help: "Probes that began late, since as many as may were on their way.", value: Double(counters.delayed)
            ),
            MetricSample(
                "nearcast_checks", .gauge, help: "Checks that are asked.", value: Double(counters.checks)),
        ]
    }

    private func zoneMetrics(_ loaded: LoadedModel) -> [MetricSample] {
        var samples = [
            MetricSample("nearcast_zones", .gauge, help: "Zones served.", value: Double(loaded.zones.count)),
            MetricSample(
                "nearcast_zones_failed", .gauge, help: "Zones of which an earlier version serves.",
                value: Double(loaded.zones.count { $0.failure != nil })),
        ]
        // A series for each of many zones would burden whoever collects them.
        for zone in loaded.zones.prefix(10_000) {
            samples.append(
                MetricSample(
                    "nearcast_zone_serial", .gauge, help: "Serial of the zone's SOA; of the first 10,000 zones.",
                    labels: ["zone": "\(zone.origin)"], value: Double(zone.serial)))
        }
        return samples
    }

    private func journalMetrics(_ store: any StateStore) -> [MetricSample] {
        [
            MetricSample(
                "nearcast_journal_backlog", .gauge, help: "Changes of nodes' states that are not on the disk yet.",
                value: Double(store.backlog)),
            MetricSample(
                "nearcast_journal_lost_total", .counter,
                help: "Changes of nodes' states given up because the disk took none for long.",
                value: Double(store.lost)),
        ]
    }
}
