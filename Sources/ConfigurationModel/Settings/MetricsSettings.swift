/// `metrics`: the listener that a Prometheus server scrapes.
public struct MetricsSettings: Sendable {
    /// 1 to 16 distinct endpoints, none of them used by another listener.
    public let listen: [ListenSettings]
    /// PEM files of the certificate chain and its key. `nil`: without TLS.
    public let certificate: ReportSettings.Certificate?
    public let mark: DocumentLocation
}
