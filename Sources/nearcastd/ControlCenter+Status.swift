import BPFRuntime
import CFastPathABI
import ControlFailures
import FastPath
import Foundation
import HealthChecks
import IPNetworks
import Location
import ManagementTypes
import MapWriter
import ModelLoader
import ServerConfiguration
import Serving
import Steering
import Telemetry

extension ControlCenter {
    func status() async throws(ControlFailure) -> StatusReport {
        let parts = try parts()
        let nodes = await parts.registry.reports()
        let regions = await parts.registry.regionReports
        let fastPath = await parts.fastPath.snapshot()
        let geo = loaded.geo.summary
        return StatusReport(
            version: nearcastVersion, pid: ProcessInfo.processInfo.processIdentifier, startedAt: startedAt,
            uptimeSeconds: Date().timeIntervalSince(startedAt), epoch: model.epoch,
            digest: model.digest.hexadecimal, fastPath: interfaces(fastPath), layoutVersion: UInt32(NC_LAYOUT_VERSION),
            generation: UInt32(fastPath.generation),
            listen: loaded.configuration.endpoints.map(\.description),
            nodes: NodeCounts(
                total: nodes.count, byState: Dictionary(nodes.map { ($0.state.rawValue, 1) }, uniquingKeysWith: +)),
            counters: counters(parts, fastPath), memory: memory(fastPath),
            geo: geo.path.isEmpty
                ? nil
                : GeoReport(
                    database: geo.path, builtAt: Date(timeIntervalSince1970: Double(geo.buildEpoch)),
                    networks: UInt64(geo.networks), locations: UInt64(geo.places), loadSeconds: geo.seconds,
                    problem: loaded.geo.problems.isEmpty ? nil : loaded.geo.problems.joined(separator: "; ")),
            zones: zones(), reloads: await parts.reloader.history,
            overlay: fastPath.image == nil
                ? nil
                : OverlayReport(
                    changed: fastPath.overlay?.count ?? 0, limit: Int(NC_OVERLAY_WORDS) - 1,
                    bytes: UInt64((fastPath.overlay?.cells ?? 0) * Int(NC_CELL_BYTES)),
                    room: UInt64(NC_OVERLAY_ENTRIES + NC_OVERLAY_ANSWERS) * UInt64(NC_CELL_BYTES)),
            switches: loaded.configuration.switches, regions: regions.isEmpty ? nil : regions,
            learning: await parts.roundTrips.report?.learning, limits: limits.report)
    }

    private func zones() -> ZonesReport {
        let zones = loaded.zones
        let failed = zones.filter { $0.failure != nil }
        let shown =
            (zones.count <= ZonesReport.limit
            ? zones : failed + zones.filter { $0.failure == nil }.sorted { $0.loadedAt > $1.loadedAt })
            .prefix(ZonesReport.limit)
        return ZonesReport(
            total: zones.count, records: zones.reduce(0) { $0 + $1.records }, failed: failed.count,
            zones: shown.map { ZoneReport($0) })
    }

    private func interfaces(_ fastPath: FastPathRunner.Snapshot) -> [InterfaceReport] {
        fastPath.attachments.map { attachment in
            let mode: InterfaceReport.Mode =
                switch attachment.mode {
                case .native: .native
                case .generic: .generic
                case nil: .off
                }
            let program = attachment.mode == nil ? nil : fastPath.program
            return InterfaceReport(
                interface: attachment.interface, mode: mode, reason: attachment.reason, programID: program?.id,
                tag: program?.tag)
        }
    }

    /// The tables both paths read, and what the kernel holds of them besides.
    private func memory(_ fastPath: FastPathRunner.Snapshot) -> [TableMemory] {
        let steering = model.steering
        var memory = [
            TableMemory(table: "user space: locations", bytes: UInt64(model.location.bytes.count)),
            TableMemory(table: "user space: place_classes", bytes: UInt64(steering.classes.bytes.count)),
            TableMemory(table: "user space: lists", bytes: UInt64(steering.lists.bytes.count)),
        ]
        memory += fastPath.tables.map { TableMemory(table: "kernel: \($0.table)", bytes: UInt64($0.bytes)) }
        return memory
    }

    private func counters(_ parts: Parts, _ fastPath: FastPathRunner.Snapshot) -> CountersReport {
        var fast: [String: UInt64] = [:]
        if let values = fastPath.counters {
            for (name, value) in zip(FastPathCounter.names, values) { fast[name] = value }
        }
        return CountersReport(fastPath: fast, slowPath: parts.answering.counts)
    }

    private func reloadMetrics(_ reloads: ReloadsReport) -> [MetricSample] {
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

    private func zoneMetrics() -> [MetricSample] {
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

    func inspectCounters() async throws(ControlFailure) -> CountersReport {
        let parts = try parts()
        return counters(parts, await parts.fastPath.snapshot())
    }

    func metrics() async throws(ControlFailure) -> [MetricSample] {
        let parts = try parts()
        let counters = counters(parts, await parts.fastPath.snapshot())
        var samples = [
            MetricSample("nearcast_epoch", .gauge, help: "Number of the model in use.", value: Double(model.epoch)),
            MetricSample(
                "nearcast_model_info", .gauge, help: "1, with the digest of the model in use.",
                labels: ["digest": model.digest.hexadecimal], value: 1),
            MetricSample(
                "nearcast_start_time_seconds", .gauge, help: "When the daemon started, in seconds since 1970.",
                value: startedAt.timeIntervalSince1970),
        ]
        if let overlay = await parts.fastPath.overlay {
            samples.append(
                MetricSample(
                    "nearcast_overlay_names", .gauge,
                    help: "Names and shared replies changed in the program's tables since they were filled.",
                    value: Double(overlay.count)))
        }
        samples += reloadMetrics(await parts.reloader.history) + zoneMetrics()
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
        if let limit = parts.answering.resolver.settings.rateLimit, limit.rule.isDryRun {
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
                value: Double(expiredHandovers)))
        samples += parts.transports.metrics
        samples += await parts.registry.healthMetrics
        samples += parts.reports?.metrics ?? []
        samples += probeMetrics(await parts.prober.counters())
        samples += await parts.roundTrips.metrics
        for node in await parts.registry.reports() {
            samples.append(
                MetricSample(
                    "nearcast_node_share", .gauge, help: "Share of its clients that a node takes, 0 to 1.",
                    labels: ["node": node.id], value: Double(node.share) / 256))
            samples.append(
                MetricSample(
                    "nearcast_node_usable", .gauge, help: "Whether a node may be answered: 1 or 0.",
                    labels: ["node": node.id, "state": node.state.rawValue],
                    value: node.state == .up || node.state == .degraded ? 1 : 0))
        }
        return samples
    }
}

extension ServerConfiguration {
    /// What is switched off, and the limits that are set; `nil` where there is nothing to tell.
    fileprivate var switches: [String]? {
        var words: [String] = []
        let switches = [
            ("cookies", fastPath.answersCookies), ("nsid", fastPath.answersIdentifier),
            ("vlan", fastPath.answersTagged),
            ("truncation", fastPath.cutsReplies), ("rate_limit", fastPath.limitsRate),
        ]
        let off = switches.filter { !$0.1 }.map(\.0)
        if fastPath.mode != .off, !off.isEmpty { words.append("left to user space: \(off.joined(separator: ", "))") }
        if let answers = rateLimit.responsesPerSecond {
            words.append("replies a second limited to \(answers)" + (rateLimit.isDryRun ? " (dry run)" : ""))
        }
        if fastPath.mode != .off, let passed = fastPath.passedPerSecond {
            words.append(
                "\(passed) queries a second passed up by a processor" + (fastPath.isPassedDryRun ? " (dry run)" : ""))
        }
        return words.isEmpty ? nil : words
    }
}
