package import ConfigurationModel
import DNSServer
import Foundation
import Glibc
import LinuxSupport
package import Logging
package import Resolution

extension ProtocolSettings {
    /// How the server answers by its configuration. Makes the cookie secret when there is none yet.
    ///
    /// - Parameters:
    ///   - earlier: those in use and what they were made of: an unchanged rate limit goes on.
    ///   - buckets: what rate limits count in.
    /// - Throws: `StartupFailure`.
    package init(
        _ configuration: ServerConfiguration, earlier: (ServerConfiguration, ProtocolSettings)? = nil,
        buckets: RateBuckets? = nil, logger: Logger
    ) throws(StartupFailure) {
        let identity = configuration.identity
        self.init(
            identity: ServerIdentity(
                nsid: identity.nsid, hostname: identity.hostname, version: identity.version,
                tellsDigest: identity.tellsDigest),
            keepalive: max(1, StreamLimits(configuration.tcp).keepaliveTimeout))
        if configuration.cookies.isEnabled {
            // A secret that was made may be in memory only.
            let made = configuration.cookies.isSecretMade && earlier?.0.cookies.isSecretMade == true
            let secrets: [CookieSecret]
            if made, let kept = earlier?.1.cookies?.secrets {
                secrets = kept
            } else {
                secrets = try CookieSecrets(configuration, logger).load()
            }
            cookies = CookieKeys(secrets: secrets, isRequired: configuration.cookies.isRequired)
        }
        if let earlier, earlier.0.rateLimit == configuration.rateLimit {
            rateLimit = earlier.1.rateLimit
        } else {
            let limit = configuration.rateLimit
            rateLimit = ResponseRateLimit(
                RateLimitRule(
                    responsesPerSecond: UInt16(limit.responsesPerSecond ?? 0),
                    errorsPerSecond: UInt16(limit.errorsPerSecond), slip: UInt8(limit.slip),
                    v4PrefixLength: limit.v4PrefixLength, v6PrefixLength: limit.v6PrefixLength,
                    isDryRun: limit.isDryRun),
                exempt: limit.exempt, secret: UInt64.random(in: 0...UInt64.max), buckets: buckets ?? RateBuckets())
        }
    }

    /// The same, counted in other buckets.
    package func counting(in buckets: RateBuckets) -> ProtocolSettings {
        var settings = self
        settings.rateLimit = rateLimit?.counting(in: buckets)
        return settings
    }
}

/// Where cookie secrets come from: the configuration, a file that it names, or a file in the state folder. That one is made
/// at the first start, so that cookies outlive the process.
struct CookieSecrets {
    /// In bytes; a file of secrets may have comments.
    private static let maximumFileSize = 1 << 20
    private let configuration: ServerConfiguration
    private let logger: Logger

    init(_ configuration: ServerConfiguration, _ logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// - Throws: `StartupFailure`; no secret is repeated in it.
    func load() throws(StartupFailure) -> [CookieSecret] {
        let settings = configuration.cookies
        if !settings.secrets.isEmpty { return settings.secrets.compactMap { CookieSecret($0) } }
        if let file = settings.secretFile {
            do throws(Problem) { return try read(file.path) } catch {
                throw StartupFailure(["\(configuration.problem(at: file.mark, "cookies.secret_file: \(error)"))"])
            }
        }
        let path = configuration.state.path + "/cookie-secret"
        guard FileManager.default.fileExists(atPath: path) else { return [make(path)] }
        do throws(Problem) { return try read(path) } catch {
            let mark = configuration.state.mark
            throw StartupFailure(["\(configuration.problem(at: mark, "\(error): remove it, and one is made"))"])
        }
    }

    /// One secret a line; empty lines and lines that begin with `#` are passed over.
    private func read(_ path: String) throws(Problem) -> [CookieSecret] {
        let bytes: [UInt8]
        do throws(FileProblem) { bytes = try RegularFile.contents(of: path, limit: Self.maximumFileSize) } catch {
            throw Problem(description: "the file \(path) cannot be read (\(error)): \(error.remedy)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(description: "the file \(path) is not UTF-8 text")
        }
        var secrets: [CookieSecret] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let secret = CookieSettings.secret(line).flatMap({ CookieSecret($0) }) else {
                throw Problem(description: "line \(index + 1) of \(path) is not 32 hexadecimal digits")
            }
            secrets.append(secret)
        }
        guard !secrets.isEmpty, secrets.count <= CookieSettings.maximumSecrets else {
            throw Problem(
                description:
                    "the file \(path) has \(secrets.count) secrets, expected 1 to \(CookieSettings.maximumSecrets)")
        }
        return secrets
    }

    /// Makes a secret and stores it, readable for the daemon alone. A secret that cannot be stored serves until the daemon
    /// ends.
    private func make(_ path: String) -> CookieSecret {
        let bytes = (0..<CookieSecret.length).map { _ in UInt8.random(in: 0...255) }
        guard let secret = CookieSecret(bytes) else { preconditionFailure("a secret has 16 bytes") }
        if !keep(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n", path) {
            logger.warning(
                "cannot store the cookie secret: it is lost when this process ends",
                metadata: ["file": "\(path)", "error": "\(SystemError.last("write").reason)"])
        }
        return secret
    }

    /// Writes a new file and renames it, so that no start finds half of it. False leaves the reason in errno.
    private func keep(_ text: String, _ path: String) -> Bool {
        try? FileManager.default.createDirectory(
            atPath: configuration.state.path, withIntermediateDirectories: true)
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return write(descriptor, bytes, bytes.count) == bytes.count && rename(draft, path) == 0
    }

    private struct Problem: Error, CustomStringConvertible {
        let description: String
    }
}

extension CookieSettings {
    /// Whether no secret is configured: the daemon makes one.
    fileprivate var isSecretMade: Bool { secrets.isEmpty && secretFile == nil }
}
