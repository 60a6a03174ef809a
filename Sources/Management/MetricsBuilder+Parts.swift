import ConfigurationModel
import ControlPlane
import FastPathDriver
import Foundation
import Health
import HealthChecks
import LinuxSupport
import ManagementTypes
import ModelCompiler
import Telemetry
import VisibleText

/// Metrics of interfaces, data, nodes and the process.
extension MetricsBuilder {
    /// One-hot: a series for each mode, so that none comes or goes when the mode changes.
    var attachmentMetrics: [MetricSample] {
        state.fastPath.attachments.flatMap { attachment in
            let mode = InterfaceReport.Mode(attachment)
            return InterfaceReport.Mode.allCases.map {
                MetricSample(
                    "nearcast_xdp_attached", .gauge,
                    help: "1 for the mode in which the XDP program is attached to an interface, 0 for the others.",
                    labels: ["interface": attachment.interface, "mode": $0.rawValue], value: $0 == mode ? 1 : 0)
            }
        }
            + state.fastPath.unsent.map { interface, count in
                MetricSample(
                    "nearcast_xdp_unsent_replies_total", .counter,
                    help: "Replies of the XDP program that the interface's driver could not send, as it counts them.",
                    labels: ["interface": interface], value: Double(count.total))
            }
    }

    func dataMetrics(_ loaded: LoadedModel) -> [MetricSample] {
        var samples: [MetricSample] = []
        let geo = loaded.geo.summary
        if !geo.path.isEmpty {
            samples.append(
                MetricSample(
                    "nearcast_geo_database_build_timestamp_seconds", .gauge,
                    help: "When the city database in use was built, in seconds since 1970.",
                    value: Double(geo.buildEpoch)))
            samples.append(
                MetricSample(
                    "nearcast_geo_database_problems", .gauge,
                    help: "Files of geographic data that cannot be used; their last good version serves.",
                    value: Double(loaded.geo.problems.count)))
        }
        if let written = secretWritten(loaded) {
            samples.append(
                MetricSample(
                    "nearcast_cookie_secret_timestamp_seconds", .gauge,
                    help: "When the file of the cookies' secrets was last written, in seconds since 1970.",
                    value: written))
        }
        return samples
    }

    /// `nil` without cookies, and where the configuration itself has the secrets.
    private func secretWritten(_ loaded: LoadedModel) -> Double? {
        let (cookies, folder) = (loaded.configuration.cookies, loaded.configuration.state.path)
        guard cookies.isEnabled, cookies.secrets.isEmpty else { return nil }
        let path = cookies.secretFile?.path ?? folder + "/cookie-secret"
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
    }

    /// Probes and transitions: series for every node from the start.
    var nodeMetrics: [MetricSample] {
        var samples = [
            MetricSample(
                "nearcast_probes_delayed_total", .counter,
                help: "Probes that began late because the limit of concurrent probes was reached.",
                value: Double(probes.delayed)),
            MetricSample("nearcast_checks", .gauge, help: "Checks that are probed.", value: Double(probes.checks)),
        ]
        let ids = state.nodes.map { $0.entries.keys.sorted(by: NaturalOrder.precedes) } ?? []
        for id in ids {
            samples += probeMetrics(of: id, nodeProbes[id] ?? NodeProbes()) + answerMetrics(of: id)
            samples += HealthState.allCases.map { state in
                MetricSample(
                    "nearcast_node_transitions_total", .counter, help: "Changes of a node's state, by the new state.",
                    labels: ["node": id, "state": state.rawValue],
                    value: Double(transitions.count(of: id, to: state.rawValue)))
            }
        }
        return samples
    }

    private func answerMetrics(of id: String) -> [MetricSample] {
        var paths = [("slow", nodeAnswers.slowPath[id] ?? 0)]
        if let counts = nodeAnswers.fastPath { paths.append(("fast", counts[id] ?? 0)) }
        return paths.map { path, count in
            MetricSample(
                "nearcast_node_answers_total", .counter,
                help: "Answers whose first record leads to a node, by path.", labels: ["node": id, "path": path],
                value: Double(count))
        }
    }

    private func probeMetrics(of id: String, _ probes: NodeProbes) -> [MetricSample] {
        let results = [("passed", probes.passed), ("failed", probes.failed), ("unasked", probes.unasked)]
        var samples = results.map { result, count in
            MetricSample(
                "nearcast_probes_total", .counter,
                help: "Probes of a node, by result; unasked: this host could not probe.",
                labels: ["node": id, "result": result], value: Double(count))
        }
        samples.append(
            MetricSample(
                "nearcast_probe_duration_seconds", help: "How long the probes of a node took that passed or failed.",
                labels: ["node": id], sum: Double(probes.microseconds) / 1e6,
                distribution: .init(count: probes.passed + probes.failed)))
        if let expiry = probes.expiries.values.min() {
            samples.append(
                MetricSample(
                    "nearcast_node_certificate_expiry_timestamp_seconds", .gauge,
                    help:
                        "When the first certificate expires that the checks of a node saw, in seconds since 1970; absent before.",
                    labels: ["node": id], value: Double(expiry)))
        }
        return samples
    }

    /// Under the names that other programs use too.
    var processMetrics: [MetricSample] {
        var samples = [
            MetricSample(
                "process_start_time_seconds", .gauge, help: "When the daemon started, in seconds since 1970.",
                value: startedAt.timeIntervalSince1970)
        ]
        if let limit = DescriptorLimit.current {
            samples.append(
                MetricSample(
                    "process_max_fds", .gauge, help: "Descriptors that the process may open.", value: Double(limit)))
        }
        guard let usage = ProcessUsage.current else { return samples }
        samples += [
            MetricSample(
                "process_cpu_seconds_total", .counter, help: "Processor time of the process, in user and kernel mode.",
                value: usage.processorSeconds),
            MetricSample(
                "process_resident_memory_bytes", .gauge, help: "Memory of the process that is resident.",
                value: Double(usage.residentBytes)),
            MetricSample(
                "process_virtual_memory_bytes", .gauge, help: "Addresses that the process has mapped.",
                value: Double(usage.virtualBytes)),
            MetricSample(
                "process_open_fds", .gauge, help: "Descriptors that are open.", value: Double(usage.openDescriptors)),
            MetricSample("process_threads", .gauge, help: "Threads of the process.", value: Double(usage.threads)),
        ]
        return samples
    }
}
