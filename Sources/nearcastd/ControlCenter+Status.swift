import BPFRuntime
import CFastPathABI
import ControlAPI
import FastPath
import Foundation
import IPNetworks
import Location
import MapWriter
import ModelLoader
import ServerConfiguration
import Serving
import Steering

extension ControlCenter {
    func status() async throws(ControlFailure) -> StatusReport {
        let parts = try parts()
        let nodes = await parts.registry.reports()
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
                    networks: UInt64(geo.networks), locations: UInt64(geo.places), loadSeconds: geo.seconds))
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
                "nearcast_start_time_seconds", .gauge, help: "When the daemon started, in seconds since 1970.",
                value: startedAt.timeIntervalSince1970),
        ]
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
        samples += parts.transports.metrics
        for node in await parts.registry.reports() {
            samples.append(
                MetricSample(
                    "nearcast_node_usable", .gauge, help: "Whether a node may be answered: 1 or 0.",
                    labels: ["node": node.id, "state": node.state.rawValue],
                    value: node.state == .up || node.state == .degraded ? 1 : 0))
        }
        return samples
    }
}
