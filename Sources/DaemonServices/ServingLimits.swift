package import ConfigurationModel
import ConnectionLimits
package import ControlPlane
import DNSServer
import Foundation
import LinuxSupport
package import ManagementServer
package import ManagementTypes

/// The resources that clients may use, from the configuration and the limits of the system.
package struct ServingLimits: Sendable {
    private let descriptors: DescriptorBudget
    private(set) var tcp: StreamLimits
    private(set) var tls: StreamLimits
    private(set) var reports: ReportServer.Limits
    private(set) var metrics: MetricsServer.Limits
    private let sockets: Int
    private let hasEncryptedReports: Bool
    private let hasEncryptedMetrics: Bool

    /// Raises the process's descriptor limit as far as possible and divides the descriptors among their users.
    ///
    /// - Throws: when there are too few to run at all.
    package init(_ configuration: ServerConfiguration) throws(StartupFailure) {
        let limit = (try? DescriptorLimit.raise()) ?? 1_024
        guard limit >= DescriptorBudget.least else {
            throw StartupFailure([
                "the process may have \(limit) file descriptors and needs at least \(DescriptorBudget.least): raise the limit "
                    + "(LimitNOFILE= of the unit, ulimit -n)"
            ])
        }
        let streams = StreamLimits(configuration.tcp)
        let reports = ReportServer.Limits()
        let metrics = MetricsServer.standardLimits
        let endpoints = configuration.endpoints.count
        sockets = endpoints * Processors.usable
        let listening =
            sockets + endpoints + (configuration.tls?.listen.count ?? 0)
            + (configuration.reports?.listener?.listen.count ?? 0) + (configuration.metrics?.listen.count ?? 0)
        let wanted = DescriptorBudget.Streams(
            tcp: streams.connections, tls: configuration.tls == nil ? 0 : streams.connections,
            reports: configuration.reports?.listener == nil ? 0 : reports.connections,
            metrics: configuration.metrics == nil ? 0 : metrics.connections)
        // Connections that gave way keep their descriptors until they are closed.
        let closing = [wanted.tcp, wanted.tls, wanted.reports, wanted.metrics].filter { $0 > 0 }
            .map { OpenConnections.descriptors(for: $0) - $0 }
        descriptors = DescriptorBudget(limit: limit, wanted: wanted, others: listening + closing.reduce(0, +))
        hasEncryptedReports = configuration.reports?.listener?.certificate != nil
        hasEncryptedMetrics = configuration.metrics?.certificate != nil
        (tcp, tls, self.reports, self.metrics) = (streams, streams, reports, metrics)
        tcp.connections = max(1, descriptors.streams.tcp)
        tls.connections = max(1, descriptors.streams.tls)
        self.reports.connections = max(1, descriptors.streams.reports)
        self.metrics.connections = max(1, descriptors.streams.metrics)
    }

    /// Probes that may run at the same time.
    package var probes: Int { descriptors.probes }

    /// Connections to the control socket.
    package var control: ControlServer.Limits { .init(connections: max(1, descriptors.control)) }

    /// Bytes that clients can make this process, and the kernel on its behalf, allocate.
    private var bytes: UInt64 {
        UInt64(
            tcp.bytes(encrypted: false) + (descriptors.streams.tls > 0 ? tls.bytes(encrypted: true) : 0)
                + (descriptors.streams.reports > 0 ? reports.bytes(encrypted: hasEncryptedReports) : 0)
                + (descriptors.streams.metrics > 0 ? metrics.bytes(encrypted: hasEncryptedMetrics) : 0)
                + descriptors.control * ControlServer.Limits.bytesPerConnection
                + ControlServer.Limits.bytesOfLargeBodies
                + sockets * UDPServer.bytesPerSocket)
    }

    package var report: LimitsReport {
        let connections = [
            "tcp": descriptors.streams.tcp, "tls": descriptors.streams.tls, "reports": descriptors.streams.reports,
            "metrics": descriptors.streams.metrics, "control": descriptors.control,
        ]
        return LimitsReport(
            connections: connections.filter { $0.value > 0 }, bytes: bytes, descriptors: descriptors.limit,
            ownDescriptors: descriptors.own, probeDescriptors: descriptors.probes)
    }

    /// Limits that were lowered, and limits that exceed the system's resources.
    package var warnings: [String] {
        var warnings: [String] = []
        if let shortage = descriptors.shortage { warnings.append(shortage) }
        if let memory = Self.memoryLimit, memory < bytes {
            warnings.append(
                "clients may use \(bytes >> 20) MiB, but the process may use only \(memory >> 20) MiB: lower "
                    + "tcp.connections, or raise MemoryMax= of the unit")
        }
        return warnings
    }

    /// The memory limit of this process's control group (cgroup v2). `nil`: no limit is known.
    private static var memoryLimit: UInt64? {
        guard let groups = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8),
            let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }),
            let text = try? String(contentsOfFile: "/sys/fs/cgroup\(own.dropFirst(3))/memory.max", encoding: .utf8)
        else { return nil }
        return UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
