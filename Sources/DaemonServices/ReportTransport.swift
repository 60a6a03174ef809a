package import ConfigurationModel
import ControlFailures
package import ControlPlane
import DNSServer
import Glibc
package import Logging
package import ManagementServer
package import ServiceLifecycle
package import Telemetry

/// The network listener for node reports that a configuration asks for, bound but not running.
package struct ReportTransport: Sendable {
    private let server: ReportServer
    private let tokens: TokenFile
    private let certificate: TLSCertificate?

    /// Returns `nil` if the configuration asks for none.
    ///
    /// - Parameter handover: true when a predecessor still holds the addresses and will end soon.
    package init?(
        _ configuration: ServerConfiguration, handler: any ControlHandling, limits: ServingLimits, handover: Bool,
        logger: Logger
    ) throws(StartupFailure) {
        guard let settings = configuration.reports?.listener else { return nil }
        func failure(_ mark: DocumentLocation, _ message: String) -> StartupFailure {
            StartupFailure(["\(configuration.problem(at: mark, message))"])
        }
        do throws(ControlFailure) { tokens = try TokenFile(path: settings.tokens.path, logger: logger) } catch {
            throw failure(settings.tokens.mark, "health.reports.tokens \(error)")
        }
        do throws(CertificateError) {
            certificate = try settings.certificate.map { files throws(CertificateError) in
                try TLSCertificate(
                    certificatePath: files.chain.path, keyPath: files.key.path,
                    for: .http("health.reports"), logger: logger)
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
            server = try ReportServer(
                endpoints: settings.listen.map(\.endpoint), certificate: certificate, tokens: tokens,
                handler: handler, logger: logger, limits: limits.reports, handover: handover)
        } catch { throw StartupFailure(error, "health.reports", settings.listen[0].mark, configuration) }
    }

    package var services: [any Service] { [server, tokens] + (certificate.map { [$0] } ?? []) }

    package func keepAddresses(_ keeps: Bool) { server.keepAddresses(keeps) }

    package var metrics: [MetricSample] {
        server.metrics + (certificate.map { [$0.expiryMetric(listener: "reports")] } ?? [])
    }
}
