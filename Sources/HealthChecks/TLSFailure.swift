import Glibc
import NIOSSL

/// Describes a TLS failure so that the operator knows what to fix.
enum TLSFailure {
    static let otherName = "TLS: the certificate is for another name"

    /// - Parameter certificate: the server's certificate, if it was received.
    /// - Returns: `nil` for other errors.
    static func evidence(_ error: any Error, _ certificate: NIOSSLCertificate? = nil) -> String? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return otherName
        }
        guard error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError else { return nil }
        let text = "\(error)"
        // BoringSSL gives only the reason's name.
        guard text.contains("CERTIFICATE_VERIFY_FAILED") else { return "TLS: \(reason(text))" }
        let now = time(nil)
        if let certificate, certificate.notValidAfter < now {
            let days = (now - certificate.notValidAfter) / 86_400
            return "TLS: the certificate expired \(days) day\(days == 1 ? "" : "s") ago"
        }
        if let certificate, certificate.notValidBefore > now { return "TLS: the certificate is not valid yet" }
        return "TLS: the certificate is not signed by a trusted authority"
    }

    /// The library's reason, extracted from a text that also names its source location.
    private static func reason(_ text: String) -> String {
        guard let start = text.firstRange(of: "OPENSSL_internal:"),
            let end = text[start.upperBound...].firstRange(of: " at ")
        else { return String(text.prefix(160)) }
        return text[start.upperBound..<end.lowerBound].lowercased().replacing("_", with: " ")
    }
}
