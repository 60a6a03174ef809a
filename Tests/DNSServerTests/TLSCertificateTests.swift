import DNSServer
import Fixtures
import Foundation
import Logging
import Testing

@Suite struct TLSCertificateTests {
    private func load(_ certificate: String, _ key: String) throws(CertificateError) -> TLSCertificate {
        try TLSCertificate(
            certificatePath: certificate, keyPath: key,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    private func message(_ certificate: String, _ key: String) -> String {
        do throws(CertificateError) { _ = try load(certificate, key) } catch { return error.description }
        return "accepted"
    }

    @Test("unusable files are named, with the reason and the remedy")
    func problems() throws {
        let files = try CertificateFiles()
        let (good, key) = (files.certificate, files.key)
        let missing = files.path("missing.pem")
        let unreadable = "cannot be read (No such file or directory): check the path and its permissions"
        #expect(message(missing, key) == "tls.certificate \(missing) \(unreadable)")
        #expect(message(good, missing) == "tls.key \(missing) \(unreadable)")
        #expect(
            message("/tmp", key) == "tls.certificate /tmp cannot be read (Is a directory): "
                + "check the path and its permissions")
        let text = try files.write("text.pem", "hello\n")
        let noCertificate =
            "holds no certificate in PEM: give the server's certificate, then those that lead to the root"
        #expect(message(text, key) == "tls.certificate \(text) \(noCertificate)")
        #expect(message(key, good) == "tls.certificate \(key) \(noCertificate)")
        let noKey = "holds no private key in PEM that can be read without a passphrase: give one"
        #expect(message(good, text) == "tls.key \(text) \(noKey)")
        #expect(message(good, good) == "tls.key \(good) \(noKey)")
        let locked = try files.encryptKey()
        #expect(message(good, locked) == "tls.key \(locked) \(noKey)")
        let empty = try files.write("empty.pem", "")
        #expect(message(empty, key) == "tls.certificate \(empty) \(noCertificate)")
        #expect(message(good, empty) == "tls.key \(empty) \(noKey)")
        let large = try files.write("large.pem", String(repeating: "x", count: 2 << 20))
        #expect(message(large, key) == "tls.certificate \(large) is larger than 1 MiB: give a PEM file")
        let other = try CertificateFiles("other")
        #expect(
            message(good, other.key) == "tls.key \(other.key) is not the key of the first certificate in \(good): "
                + "give the key it was made for, and put the server's own certificate first")
    }

    @Test("a reload that fails leaves the certificate in use, and says why")
    func reload() throws {
        let files = try CertificateFiles()
        let certificate = try load(files.certificate, files.key)
        let expiry = certificate.expiry
        _ = try files.write("chain.pem", "gone")
        #expect(throws: CertificateError.self) { try certificate.reload() }
        #expect(certificate.expiry == expiry)
        try files.issue("next", days: 60)
        try certificate.reload()
        #expect(certificate.expiry > expiry + 29 * 86_400)
    }

    @Test("an expired certificate causes a warning with its last day")
    func expired() throws {
        let files = try CertificateFiles()
        let certificate = try load(files.certificate, files.key)
        #expect(certificate.warning(at: certificate.expiry - 1) == nil)
        #expect(
            certificate.warning(at: certificate.expiry)
                == "tls.certificate \(files.certificate) expired on \(certificate.expiryText): clients will refuse it")
        #expect(certificate.expiryText.hasSuffix(" UTC"))
    }
}
