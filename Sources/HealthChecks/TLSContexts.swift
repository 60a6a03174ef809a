import Health
import NIOSSL

/// TLS contexts for the certificate rules of checks. Files are read once.
struct TLSContexts {
    private struct Key: Hashable {
        let rules: TLSRules
        let protocols: [String]
    }

    private var known: [Key: NIOSSLContext] = [:]

    /// - Parameter protocols: that the client offers by ALPN (RFC 7301).
    mutating func context(_ rules: TLSRules, protocols: [String] = []) throws -> NIOSSLContext {
        let key = Key(rules: rules, protocols: protocols)
        if let context = known[key] { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = rules.verifies ? .fullVerification : .none
        // A probe carries no long-lived secret. The post-quantum key exchange would take a twentieth of its work, and
        // split its first message in two.
        configuration.curves = [.x25519, .secp256r1, .secp384r1, .secp521r1]
        if let file = rules.authorities { configuration.trustRoots = .file(file) }
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        known[key] = context
        return context
    }
}
