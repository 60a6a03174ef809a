package import ConfigurationModel
package import ControlPlane
package import DNSServer
import Glibc
import IPNetworks
package import Logging
package import ServiceLifecycle
package import Telemetry

/// The listeners that a configuration asks for, bound but not running.
package struct Transports: Sendable {
    private let udp: UDPServer
    private let tcp: TCPServer
    private let tls: TCPServer?
    private let certificate: TLSCertificate?

    /// - Parameters:
    ///   - certificate: the result of `loadCertificate` for the same configuration.
    ///   - handover: true when a predecessor still holds the addresses and will end soon.
    package init(
        _ configuration: ServerConfiguration, certificate: TLSCertificate?, slowPath: SlowPath, limits: ServingLimits,
        handover: Bool
    ) throws(ListenError) {
        udp = try UDPServer(endpoints: configuration.endpoints, answering: slowPath, handover: handover)
        tcp = try TCPServer(
            endpoints: configuration.endpoints, answering: slowPath, limits: limits.tcp, handover: handover)
        self.certificate = certificate
        if let certificate, let settings = configuration.tls {
            let endpoints = settings.listen.map(\.endpoint)
            tls = try TCPServer(
                endpoints: endpoints, answering: slowPath, limits: limits.tls, certificate: certificate,
                handover: handover)
        } else {
            tls = nil
        }
    }

    package var services: [any Service] {
        var services: [any Service] = [udp, tcp]
        if let tls { services.append(tls) }
        if let certificate { services.append(certificate) }
        return services
    }

    package func keepAddresses(_ keeps: Bool) {
        udp.keepAddresses(keeps)
        tcp.keepAddresses(keeps)
        tls?.keepAddresses(keeps)
    }

    /// The served endpoints in configuration order, for display.
    package var description: String {
        (udp.endpoints.map(\.description) + (tls?.endpoints ?? []).map { "tls:\($0)" }).joined(separator: " ")
    }

    /// Reads the certificate again, as is done when its files change.
    ///
    /// - Returns: the problem with the files. The current certificate then stays in use.
    package func reloadCertificate() -> [String] {
        do throws(CertificateError) {
            try certificate?.reload()
            return []
        } catch { return ["\(error)"] }
    }

    /// Counters of the listeners.
    package var metrics: [MetricSample] {
        let (udpLatencies, udp) = (udp.latencies, udp.counters)
        let lost = [
            ("too_long", udp.tooLong), ("refused", udp.refused), ("no_room", udp.noRoom),
            ("no_neighbour", udp.noNeighbour), ("queue_full", udp.overflowed),
        ]
        var samples = lost.map { cause, count in
            MetricSample(
                "nearcast_udp_lost_total", .counter,
                help:
                    "Replies not sent (too_long, refused, no_room, no_neighbour) and queries dropped by the kernel (queue_full).",
                labels: ["cause": cause], value: Double(count))
        }
        samples.append(
            MetricSample(
                "nearcast_udp_shortened_total", .counter,
                help: "Replies truncated to the question with TC because the interface's MTU is too small.",
                value: Double(udp.shortened)))
        let streams = [("tcp", tcp.counters)] + (tls.map { [("tls", $0.counters)] } ?? [])
        samples += streams.map { name, counters in
            MetricSample(
                "nearcast_connections", .gauge, help: "Open connections.", labels: ["transport": name],
                value: Double(counters.open))
        }
        samples += streams.map { name, counters in
            MetricSample(
                "nearcast_connections_refused_total", .counter,
                help: "Connections closed because of a limit.",
                labels: ["transport": name], value: Double(counters.refused))
        }
        for (name, counters) in streams {
            samples += counters.closed.sorted { $0.key < $1.key }.map { cause, count in
                MetricSample(
                    "nearcast_connections_closed_total", .counter,
                    help: "Connections closed by the server, by cause.",
                    labels: ["transport": name, "cause": cause], value: Double(count))
            }
        }
        let paths = [("udp", udpLatencies), ("tcp", tcp.latencies)] + (tls.map { [("tls", $0.latencies)] } ?? [])
        samples += paths.map { transport, histograms in
            LatencyHistogram.sample(
                "nearcast_slow_path_latency_seconds",
                help: "From the receipt of a query in user space to its reply; not the time in the kernel's queue.",
                labels: ["transport": transport], of: histograms)
        }
        if let certificate { samples.append(certificate.expiryMetric(listener: "tls")) }
        return samples
    }

    /// Loads the certificate that the configuration names, if any.
    package static func loadCertificate(
        _ configuration: ServerConfiguration, logger: Logger
    ) throws(StartupFailure) -> TLSCertificate? {
        guard let settings = configuration.tls else { return nil }
        do throws(CertificateError) {
            let certificate = try TLSCertificate(
                certificatePath: settings.certificate.path, keyPath: settings.key.path, logger: logger)
            if let problem = certificate.warning(at: time(nil)) {
                logger.error("certificate expired", metadata: ["problem": "\(problem)"])
            }
            return certificate
        } catch {
            let mark = error.subject == .certificate ? settings.certificate.mark : settings.key.mark
            throw StartupFailure(["\(configuration.problem(at: mark, "\(error)"))"])
        }
    }
}
