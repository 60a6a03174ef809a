/// `health.reports`: how nodes and agents report to this daemon.
public struct ReportSettings: Sendable {
    /// 1 s to an hour without a report after which one is missing.
    public let missingAfterMilliseconds: Int
    /// Where reports come in over the network; `nil`: none are accepted.
    public let listener: Listener?

    public struct Listener: Sendable {
        /// 1 to 16 endpoints, no two alike.
        public let listen: [ListenSettings]
        /// The file of the tokens' hashes.
        public let tokens: PathSetting
        /// Files of the certificate chain and its key, in PEM; `nil`: without TLS.
        public let certificate: Certificate?
        public let mark: DocumentLocation
    }

    public struct Certificate: Sendable {
        public let chain: PathSetting
        public let key: PathSetting
    }

    public static let standardMissingAfter = 60_000
}
