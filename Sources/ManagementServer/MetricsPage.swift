import ControlFailures
import NIOCore
import Telemetry

/// The text of all metrics. Requests that come close together share one, so that a flood of them costs no more than one
/// a second.
///
///     request ──► made less than a second ago? ── yes ──► the same text
///                          └─ no ──► is one being made? ── yes ──► wait for it
///                                            └─ no ──► make it
actor MetricsPage {
    /// How old a text may be. Scrapes are usually further apart, so each gets values of its own.
    static let maximumAge = Duration.seconds(1)

    typealias Text = Result<ByteBuffer, ControlFailure>

    private let handler: any MetricsHandling
    private let extra: @Sendable () -> [MetricSample]
    private var latest: (text: ByteBuffer, at: ContinuousClock.Instant)?
    private var making: Task<Text, Never>?

    /// - Parameter extra: metrics that the handler does not know.
    init(_ handler: any MetricsHandling, extra: @escaping @Sendable () -> [MetricSample]) {
        self.handler = handler
        self.extra = extra
    }

    func text() async -> Text {
        if let latest, ContinuousClock.now - latest.at < Self.maximumAge { return .success(latest.text) }
        if let making { return await making.value }
        let task = Task { await make() }
        making = task
        let made = await task.value
        making = nil
        if case .success(let text) = made { latest = (text, .now) }
        return made
    }

    private nonisolated func make() async -> Text {
        do throws(ControlFailure) {
            let samples = try await handler.metrics() + extra()
            return .success(ByteBuffer(string: PrometheusText.render(samples)))
        } catch { return .failure(error) }
    }
}
