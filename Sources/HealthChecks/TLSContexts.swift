import Health
import NIOSSL

/// What is expected of certificates, ready for use. Files are read once.
struct TLSContexts {
    private var known: [TLSRules: NIOSSLContext] = [:]

    mutating func context(_ rules: TLSRules) throws -> NIOSSLContext {
        if let context = known[rules] { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = rules.verifies ? .fullVerification : .none
        // A probe keeps no secret for long: the key exchange that withstands quantum computers is a twentieth of its work, and
        // makes its first message two.
        configuration.curves = [.x25519, .secp256r1, .secp384r1, .secp521r1]
        if let file = rules.authorities { configuration.trustRoots = .file(file) }
        let context = try NIOSSLContext(configuration: configuration)
        known[rules] = context
        return context
    }
}
