import Foundation
import Glibc

/// A folder with a certificate and its key, made by the openssl command. Goes with its last reference.
public final class CertificateFiles: Sendable {
    private let folder: URL
    public var certificate: String { folder.appending(path: "chain.pem").path }
    public var key: String { folder.appending(path: "key.pem").path }

    public init(_ name: String = "one") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "nct-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try issue(name)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Puts a new certificate with this common name in place of the former, and its key.
    public func issue(_ name: String, days: Int = 30) throws {
        let (newCertificate, newKey) = (path("new-chain.pem"), path("new-key.pem"))
        try openssl(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)"]
                + ["-days", "\(days)", "-out", newCertificate, "-keyout", newKey])
        // As careful tools do: each by itself, and for a moment they do not match.
        for (new, old) in [(newCertificate, certificate), (newKey, key)] {
            guard rename(new, old) == 0 else { throw CommandFailure(description: "rename \(new): \(errno)") }
            usleep(20_000)
        }
    }

    /// Puts the key into a file of its own, under a passphrase.
    public func encryptKey() throws -> String {
        let path = path("locked.pem")
        try openssl(["ec", "-in", key, "-out", path, "-aes128", "-passout", "pass:secret"])
        return path
    }

    /// Runs the command without its chatter.
    private func openssl(_ arguments: [String]) throws {
        try run(["sh", "-c", "exec openssl \"$@\" 2>/dev/null", "openssl"] + arguments)
    }

    public func write(_ file: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: folder.appending(path: file))
        return path(file)
    }

    public func path(_ file: String) -> String { folder.appending(path: file).path }
}
