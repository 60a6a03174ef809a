public import Health
import LinuxSupport
import NIOSSL

/// The files of trusted certificates that checks name. Checks whose file is of no use have no result, so that their nodes
/// stay as they are: people should know of it.
public enum AuthorityFiles {
    /// What is wrong with them, in the user's words, each file once.
    public static func problems(of checks: some Sequence<Check>) -> [String] {
        Set(checks.compactMap(file)).sorted().compactMap { path in
            problem(path).map {
                "authorities \(path) \($0): checks that need it have no result; give it the certificates of those trusted, in "
                    + "PEM"
            }
        }
    }

    private static func file(of check: Check) -> String? {
        switch check.probe {
        case .http(let probe): probe.tls?.authorities
        case .certificate(let probe): probe.tls.authorities
        case .tcp, .dns, .icmp, .report: nil
        }
    }

    private static func problem(_ path: String) -> String? {
        do {
            let bytes = try RegularFile.contents(of: path, limit: 16 << 20)
            return try NIOSSLCertificate.fromPEMBytes(bytes).isEmpty ? "has no certificate" : nil
        } catch let error as FileProblem {
            return "cannot be read (\(error))"
        } catch {
            return "is not PEM"
        }
    }
}
