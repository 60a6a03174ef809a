package import ConfigurationModel
package import ControlPlane
import DNSServer
import Glibc
package import Logging
package import ManagementServer
package import ServiceLifecycle
package import Telemetry

/// The listener for metrics that a configuration asks for, bound but not running.
package struct MetricsTransport: Sendable {
    private let server: MetricsServer
    private let certificate: TLSCertificate?

    /// Returns `nil` if the configuration asks for none.
    ///
    /// - Parameters:
    ///   - extra: metrics that the handler does not know.
    ///   - handover: true when a predecessor still holds the addresses and will end soon.
    package init?(
        _ configuration: ServerConfiguration, handler: any MetricsHandling,
        extra: @escaping @Sendable () -> [MetricSample], limits: ServingLimits, handover: Bool, logger: Logger
    ) throws(StartupFailure) {
        guard let settings = configuration.metrics else { return nil }
        func failure(_ mark: DocumentLocation, _ message: String) -> StartupFailure {
            StartupFailure(["\(configuration.problem(at: mark, message))"])
        }
        do throws(CertificateError) {
            certificate = try settings.certificate.map { files throws(CertificateError) in
                try TLSCertificate(
                    certificatePath: files.chain.path, keyPath: files.key.path, for: .http("metrics"), logger: logger)
            }
        } catch {
            let files = settings.certificate
            let setting = error.subject == .certificate ? files?.chain : files?.key
            throw failure(setting?.mark ?? settings.mark, "\(error)")
        }
        if let problem = certificate?.warning(at: time(nil)) {
            logger.error("certificate expired", metadata: ["problem": "\(problem)"])
        }
        do throws(ListenError) {
            server = try MetricsServer(
                endpoints: settings.listen.map(\.endpoint), certificate: certificate, handler: handler, extra: extra,
                limits: limits.metrics, handover: handover)
        } catch { throw StartupFailure(error, "metrics", settings.listen[0].mark, configuration) }
    }

    package var services: [any Service] { [server] + (certificate.map { [$0] } ?? []) }

    package func keepAddresses(_ keeps: Bool) { server.keepAddresses(keeps) }

    package var metrics: [MetricSample] {
        server.metrics + (certificate.map { [$0.expiryMetric(listener: "metrics")] } ?? [])
    }
}

extension TLSCertificate {
    /// When the certificate of a listener expires.
    func expiryMetric(listener: String) -> MetricSample {
        MetricSample(
            "nearcast_tls_certificate_expiry_timestamp_seconds", .gauge,
            help: "When the certificate of a listener expires, in seconds since 1970.",
            labels: ["listener": listener], value: Double(expiry))
    }
}
