/// `health.reports`: how nodes and agents report to this daemon.
public struct ReportSettings: Sendable {
    /// The time without a report after which one is missing, 1 s to an hour.
    public let missingAfterMilliseconds: Int
    /// The listener for reports over the network. `nil`: none.
    public let listener: Listener?

    public struct Listener: Sendable {
        /// 1 to 16 distinct endpoints.
        public let listen: [ListenSettings]
        /// The file with the hashes of the tokens.
        public let tokens: PathSetting
        /// PEM files of the certificate chain and its key. `nil`: without TLS.
        public let certificate: Certificate?
        public let mark: DocumentLocation
    }

    public struct Certificate: Sendable {
        public let chain: PathSetting
        public let key: PathSetting
    }

    public static let standardMissingAfter = 60_000
}
