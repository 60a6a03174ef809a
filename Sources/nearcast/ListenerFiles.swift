import Access
import ConfigurationModel
import ControlFailures
import DNSServer
import Glibc
import Logging

/// Problems and warnings of the files that listeners need.
enum ListenerFiles {
    static func check(_ configuration: ServerConfiguration) -> (problems: [String], warnings: [String]) {
        var (problems, warnings): ([String], [String]) = ([], [])
        let logger = Logger(label: "nearcast")
        func certificate(_ chain: PathSetting, _ key: PathSetting, _ use: TLSCertificate.Use) {
            do throws(CertificateError) {
                let certificate = try TLSCertificate(
                    certificatePath: chain.path, keyPath: key.path, for: use, logger: logger)
                if let warning = certificate.warning(at: time(nil)) { warnings.append(warning) }
            } catch {
                let mark = error.subject == .certificate ? chain.mark : key.mark
                problems.append("\(configuration.problem(at: mark, "\(error)"))")
            }
        }
        if let tls = configuration.tls { certificate(tls.certificate, tls.key, .dns) }
        if let files = configuration.metrics?.certificate { certificate(files.chain, files.key, .http("metrics")) }
        guard let reports = configuration.reports?.listener else { return (problems, warnings) }
        if let files = reports.certificate {
            certificate(files.chain, files.key, .http("health.reports"))
        }
        do throws(ControlFailure) { _ = try BearerTokens(contentsOf: reports.tokens.path) } catch {
            let message = "health.reports.tokens \(error)"
            problems.append("\(configuration.problem(at: reports.tokens.mark, message))")
        }
        return (problems, warnings)
    }
}
