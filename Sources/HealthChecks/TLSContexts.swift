import Health
import NIOSSL

/// What is expected of certificates, ready for use. Files are read once.
struct TLSContexts {
    private var known: [TLSRules: NIOSSLContext] = [:]

    mutating func context(_ rules: TLSRules) throws -> NIOSSLContext {
        if let context = known[rules] { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = rules.verifies ? .fullVerification : .none
        if let file = rules.authorities { configuration.trustRoots = .file(file) }
        let context = try NIOSSLContext(configuration: configuration)
        known[rules] = context
        return context
    }
}
