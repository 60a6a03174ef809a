import Glibc
import LinuxSupport
public import Logging
import NIOCore
package import NIOSSL
public import ServiceLifecycle
import Synchronization

/// The certificate chain and key of a TLS listener, from two PEM files that are read again when they change.
///
///     files ──► read whole ──► chain, key, do they match? ──► context ──► every connection from now on
///                                        │ no
///                                        └──► the old one stays, and the reason is logged
public final class TLSCertificate: Service {
    public let certificatePath: String
    public let keyPath: String
    /// The files' names in the configuration, and the protocol spoken over TLS (RFC 7301).
    private let use: Use
    private let logger: Logger
    private let pollInterval: Duration
    private let loaded: Mutex<Loaded>

    /// What a certificate is used for.
    public struct Use: Sendable {
        /// Section of the configuration, such as `tls`.
        public let section: String
        /// ALPN protocol names.
        public let protocols: [String]

        public init(section: String, protocols: [String]) {
            self.section = section
            self.protocols = protocols
        }

        /// DNS over TLS (RFC 7858, section 6).
        public static let dns = Use(section: "tls", protocols: ["dot"])

        /// HTTP/1.1 over TLS, for a section of the configuration.
        public static func http(_ section: String) -> Use { Use(section: section, protocols: ["http/1.1"]) }
    }

    /// The result of reading the files once.
    private struct Loaded {
        let context: NIOSSLContext
        let expiry: time_t
        let fingerprint: [FileFingerprint]
    }

    /// Reads both files.
    ///
    /// - Parameters:
    ///   - certificatePath: the server's certificate in PEM, followed by its intermediates.
    ///   - keyPath: its private key in PEM, without a passphrase.
    ///   - pollInterval: how often `run` looks for changes.
    /// - Throws: the first problem found.
    public init(
        certificatePath: String, keyPath: String, for use: Use = .dns, logger: Logger,
        pollInterval: Duration = .seconds(2)
    ) throws(CertificateError) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        self.use = use
        self.logger = logger
        self.pollInterval = pollInterval
        loaded = Mutex(try Self.load(certificatePath, keyPath, use))
    }

    /// When the certificate expires, in seconds since 1970.
    public var expiry: Int { loaded.withLock { $0.expiry } }

    package var context: NIOSSLContext { loaded.withLock { $0.context } }

    /// Reads both files again and uses them for every new connection. Connections in progress keep theirs.
    ///
    /// - Throws: the problem with the files. The current certificate then stays in use.
    public func reload() throws(CertificateError) {
        let fresh = try Self.load(certificatePath, keyPath, use)
        loaded.withLock { $0 = fresh }
        logger.info("certificate loaded", metadata: ["certificate": "\(certificatePath)", "expires": "\(expiryText)"])
    }

    /// A warning about the certificate at `now` (seconds since 1970), or `nil`.
    public func warning(at now: Int) -> String? {
        guard expiry <= now else { return nil }
        return "\(use.section).certificate \(certificatePath) expired on \(expiryText): clients will refuse it"
    }

    /// When the certificate expires, as `2031-04-05 06:07:08 UTC`.
    public var expiryText: String {
        var seconds = expiry
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "an unknown day" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            let length = strftime(text.baseAddress!, text.count, "%Y-%m-%d %H:%M:%S UTC", &parts)
            return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}

// MARK: - Watching

extension TLSCertificate {
    /// Watches the files until graceful shutdown.
    ///
    /// A change is used once the files have not changed for one interval: certificate and key are often replaced one
    /// after the other, and do not match in between.
    public func run() async throws {
        var last = Self.fingerprint(certificatePath, keyPath)
        var refused: [FileFingerprint]?
        while await pause(for: pollInterval) {
            let now = Self.fingerprint(certificatePath, keyPath)
            defer { last = now }
            guard now == last, now != refused, now != loaded.withLock({ $0.fingerprint }) else { continue }
            do throws(CertificateError) { try reload() } catch {
                refused = now
                logger.error("certificate not reloaded, previous one stays in use", metadata: ["problem": "\(error)"])
            }
        }
    }

    private static func fingerprint(_ paths: String...) -> [FileFingerprint] { paths.map { FileFingerprint($0) } }
}

// MARK: - Reading

extension TLSCertificate {
    /// Maximum size of a file in bytes. Chains have a few thousand.
    private static let maximumFileSize = 1 << 20

    private static func load(
        _ certificatePath: String, _ keyPath: String, _ use: Use
    ) throws(CertificateError) -> Loaded {
        do throws(CertificateError) { return try read(certificatePath, keyPath, use) } catch {
            throw error.of(use.section)
        }
    }

    private static func read(
        _ certificatePath: String, _ keyPath: String, _ use: Use
    ) throws(CertificateError) -> Loaded {
        // Taken before reading, so that a write during the read counts as a change.
        let fingerprint = fingerprint(certificatePath, keyPath)
        let chain = try chain(certificatePath)
        let key = try privateKey(keyPath)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        // RFC 7858, section 3.2 requires RFC 7525 (now RFC 9325): no version below TLS 1.2.
        configuration.minimumTLSVersion = .tlsv12
        // Clients that offer no ALPN protocol are served too.
        configuration.applicationProtocols = use.protocols
        // A client that does not send close_notify in return keeps its place no longer than this.
        configuration.shutdownTimeout = .seconds(1)
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw CertificateError(
                .key, keyPath,
                "is not the key of the first certificate in \(certificatePath): give the key it was made for, "
                    + "and put the server's own certificate first")
        }
        return Loaded(context: context, expiry: chain[0].notValidAfter, fingerprint: fingerprint)
    }

    private static func chain(_ path: String) throws(CertificateError) -> [NIOSSLCertificate] {
        let bytes = try contents(.certificate, path)
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
            throw CertificateError(
                .certificate, path,
                "holds no certificate in PEM: give the server's certificate, then those that lead to the root")
        }
        return chain
    }

    private static func privateKey(_ path: String) throws(CertificateError) -> NIOSSLPrivateKey {
        let bytes = try contents(.key, path)
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw CertificateError(
                .key, path, "holds no private key in PEM that can be read without a passphrase: give one")
        }
        return key
    }

    private static func contents(
        _ subject: CertificateError.Subject, _ path: String
    ) throws(CertificateError) -> [UInt8] {
        do throws(FileProblem) {
            return try RegularFile.contents(of: path, limit: maximumFileSize)
        } catch .tooLarge {
            throw CertificateError(subject, path, "is larger than 1 MiB: give a PEM file")
        } catch {
            throw CertificateError(subject, path, "cannot be read (\(error)): \(error.remedy)")
        }
    }
}
