import Glibc
import NIOSSL

/// Why TLS failed, in words that tell what to mend.
enum TLSFailure {
    static let otherName = "TLS: the certificate is of another name"

    /// - Parameter certificate: what the server has shown, if it came to that.
    /// - Returns: `nil` of other errors.
    static func evidence(_ error: any Error, _ certificate: NIOSSLCertificate? = nil) -> String? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return otherName
        }
        guard error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError else { return nil }
        let text = "\(error)"
        // BoringSSL tells no more of this than the reason's name.
        guard text.contains("CERTIFICATE_VERIFY_FAILED") else { return "TLS: \(reason(text))" }
        let now = time(nil)
        if let certificate, certificate.notValidAfter < now {
            let days = (now - certificate.notValidAfter) / 86_400
            return "TLS: the certificate has ended, \(days) day\(days == 1 ? "" : "s") ago"
        }
        if let certificate, certificate.notValidBefore > now { return "TLS: the certificate is not valid yet" }
        return "TLS: the certificate leads to no trusted authority"
    }

    /// The library's word for what went wrong, out of a text that says where in its sources too.
    private static func reason(_ text: String) -> String {
        guard let start = text.firstRange(of: "OPENSSL_internal:"),
            let end = text[start.upperBound...].firstRange(of: " at ")
        else { return String(text.prefix(160)) }
        return text[start.upperBound..<end.lowerBound].lowercased().replacing("_", with: " ")
    }
}
