public import Health
import LinuxSupport
import NIOSSL

/// The files of trusted certificates that checks name. Checks with an unusable file have no result, so the state of
/// their nodes stays and the operator must be informed.
public enum AuthorityFiles {
    /// Problems of the files, as messages for the operator, one per file.
    public static func problems(of checks: some Sequence<Check>) -> [String] {
        Set(checks.compactMap(file)).sorted().compactMap { path in
            problem(path).map {
                "authorities \(path) \($0), so checks that use it have no result: provide the trusted certificates in "
                    + "PEM"
            }
        }
    }

    private static func file(of check: Check) -> String? {
        switch check.probe {
        case .http(let probe): probe.tls?.authorities
        case .certificate(let probe): probe.tls.authorities
        case .tcp(let probe): probe.tls?.authorities
        case .grpc(let probe): probe.tls?.authorities
        case .command, .dns, .icmp, .report: nil
        }
    }

    private static func problem(_ path: String) -> String? {
        do {
            let bytes = try RegularFile.contents(of: path, limit: 16 << 20)
            return try NIOSSLCertificate.fromPEMBytes(bytes).isEmpty ? "holds no certificate" : nil
        } catch let error as FileProblem {
            return "cannot be read (\(error))"
        } catch {
            return "is not PEM"
        }
    }
}
