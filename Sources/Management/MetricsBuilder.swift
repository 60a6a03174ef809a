import CFastPathABI
import ControlPlane
import FastPathPlan
import Foundation
import HealthChecks
import ManagementTypes
import ModelCompiler
import Resolution
import Telemetry

/// The daemon's metrics: a function of one snapshot of the state, and of counters read with it.
struct MetricsBuilder {
    let state: DaemonState
    let counters: CountersReport
    let startedAt: Date
    /// `nil` without a rate limit.
    let rateLimit: ResponseRateLimit?
    /// Takeovers that were taken back because the successor was silent for too long.
    let expiredHandovers: UInt64
    let probes: ProbeCounters
    let nodeProbes: [String: NodeProbes]
    /// Answers that led to each node, by its id.
    let nodeAnswers: NodeAnswers
    let transitions: TransitionTally
    /// By transport, type and rcode.
    let queries: [MetricSample]
    /// When the model in use began to answer, in seconds since 1970.
    let publishedAt: Int
    let journal: JournalCounters
    let listeners: [MetricSample]
    let roundTrips: [MetricSample]

    /// Answers by node and path.
    struct NodeAnswers {
        /// `nil` without a fast path.
        let fastPath: [String: UInt64]?
        let slowPath: [String: UInt64]
    }

    /// How far the journal is behind, and what it gave up.
    struct JournalCounters {
        let backlog: Int
        let lost: Int
    }

    var samples: [MetricSample] {
        let loaded = state.served.loaded
        let model = loaded.model
        var samples = [
            MetricSample(
                "nearcast_model_epoch", .gauge, help: "Number of the model in use.", value: Double(model.epoch)),
            MetricSample(
                "nearcast_model_digest", .gauge,
                help:
                    "The first 48 bits of the digest of the model in use, as a number: servers that answer alike have equal ones.",
                value: Double(model.digest >> 16)),
            MetricSample(
                "nearcast_model_published_timestamp_seconds", .gauge,
                help: "When the model in use began to answer, in seconds since 1970.", value: Double(publishedAt)),
            MetricSample(
                "nearcast_build_info", .gauge, help: "1, with the version of the daemon and of its tables.",
                labels: ["version": nearcastVersion, "layout": "\(NC_LAYOUT_VERSION)"], value: 1),
        ]
        samples += attachmentMetrics + dataMetrics(loaded) + processMetrics
        if let overlay = state.fastPath.overlay {
            samples.append(
                MetricSample(
                    "nearcast_overlay_names", .gauge,
                    help: "Names and shared replies changed in the program's tables since they were filled.",
                    value: Double(overlay.count)))
        }
        samples += state.listenAddresses.map {
            MetricSample(
                "nearcast_listen_address_on_host", .gauge,
                help: "Whether this host has an address that is listened on: 1 or 0.",
                labels: ["address": "\($0.address)"], value: $0.isOnHost ? 1 : 0)
        }
        samples += state.aliases.metrics
        samples += reloadMetrics(state.reloads) + zoneMetrics(state.served.loaded) + pathMetrics
        samples.append(
            MetricSample(
                "nearcast_handovers_expired_total", .counter,
                help: "Takeovers that this daemon ended because the successor was silent for too long.",
                value: Double(expiredHandovers)))
        samples += queries + listeners + journalMetrics + (state.nodes?.metrics ?? []) + nodeMetrics + roundTrips
        return samples
    }

    /// Packets and queries by verdict.
    private var pathMetrics: [MetricSample] {
        var samples: [MetricSample] = []
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
        if let rateLimit, rateLimit.rule.isDryRun {
            let counts = rateLimit.dryRunCounts
            for (event, value) in [("rate_would_drop", counts.dropped), ("rate_would_slip", counts.slipped)] {
                samples.append(
                    MetricSample(
                        "nearcast_slow_path_events_total", .counter, help: "Events of user space.",
                        labels: ["event": event], value: Double(value)))
            }
        }
        return samples
    }

    private func reloadMetrics(_ reloads: ReloadHistory) -> [MetricSample] {
        let help = "Reloads, by result."
        var samples = [("changed", reloads.changed), ("unchanged", reloads.unchanged), ("refused", reloads.refused)]
            .map { result, count in
                MetricSample(
                    "nearcast_reloads_total", .counter, help: help, labels: ["result": result], value: Double(count))
            }
        samples.append(
            MetricSample(
                "nearcast_last_reload_success", .gauge,
                help: "Whether the last reload could use everything, 1 or 0; 1 before the first.",
                value: reloads.problems.isEmpty ? 1 : 0))
        if let last = reloads.lastAt {
            samples.append(
                MetricSample(
                    "nearcast_last_reload_timestamp_seconds", .gauge,
                    help: "When the last reload ended, in seconds since 1970.", value: last.timeIntervalSince1970))
        }
        return samples
    }

    private func zoneMetrics(_ loaded: LoadedModel) -> [MetricSample] {
        var samples = [
            MetricSample("nearcast_zones", .gauge, help: "Zones served.", value: Double(loaded.zones.count)),
            MetricSample(
                "nearcast_zones_failed", .gauge,
                help: "Zones whose file cannot be used; their last good version serves.",
                value: Double(loaded.zones.count { $0.failure != nil })),
        ]
        // A series for each of very many zones would burden the collector.
        for zone in loaded.zones.prefix(10_000) {
            samples.append(
                MetricSample(
                    "nearcast_zone_serial", .gauge, help: "Serial of the zone's SOA; of the first 10,000 zones.",
                    labels: ["zone": "\(zone.origin)"], value: Double(zone.serial)))
            samples.append(
                MetricSample(
                    "nearcast_zone_loaded_timestamp_seconds", .gauge,
                    help: "When the zone's files were read, in seconds since 1970; of the first 10,000 zones.",
                    labels: ["zone": "\(zone.origin)"], value: zone.loadedAt))
        }
        return samples
    }

    private var journalMetrics: [MetricSample] {
        [
            MetricSample(
                "nearcast_journal_backlog", .gauge, help: "Node state changes that are not on disk yet.",
                value: Double(journal.backlog)),
            MetricSample(
                "nearcast_journal_lost_total", .counter,
                help: "Node state changes that were dropped because the disk accepted none for too long.",
                value: Double(journal.lost)),
        ]
    }
}
