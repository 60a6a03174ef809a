public import ControlFailures
public import Telemetry

/// What a listener for metrics may ask the daemon. Nothing here changes anything. Many requests call it concurrently.
public protocol MetricsHandling: Sendable {
    /// - Throws: `unavailable` while the daemon does not serve.
    func metrics() async throws(ControlFailure) -> [MetricSample]
    /// Whether the daemon answers queries.
    var isServing: Bool { get }
}
