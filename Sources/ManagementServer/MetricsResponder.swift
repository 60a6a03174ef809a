import ControlFailures
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import Telemetry

/// Answers the requests of a listener for metrics.
final class MetricsResponder: Sendable {
    private enum Result: Int, CaseIterable {
        case served, refused, unavailable
    }

    /// A request that is served. It changes nothing: there are no others.
    enum Request: Sendable, Hashable {
        case metrics
        case health
    }

    private let handler: any MetricsHandling
    private let page: MetricsPage
    private let results = Mutex([UInt64](repeating: 0, count: Result.allCases.count))

    init(_ handler: any MetricsHandling, extra: @escaping @Sendable () -> [MetricSample]) {
        self.handler = handler
        page = MetricsPage(handler, extra: extra)
    }

    /// Requests by result; each result is always there.
    var counts: [(result: String, count: UInt64)] {
        let counts = results.withLock { $0 }
        return Result.allCases.map { ("\($0)", counts[$0.rawValue]) }
    }

    /// The request of a head, or the refusal.
    func admit(_ head: HTTPRequestHead) -> Swift.Result<Request, Refusal> {
        let path = head.uri.prefix { $0 != "?" }
        let request: Request? =
            switch path {
            case "/metrics": .metrics
            case "/healthz": .health
            default: nil
            }
        guard let request else {
            return refuse(ControlFailure(.notFound, "nothing here", remedy: "/metrics and /healthz exist"))
        }
        guard head.method == .GET || head.method == .HEAD else {
            return refuse(
                ControlFailure(.methodNotAllowed, "this only reads", remedy: "use GET or HEAD"),
                allowing: ["GET", "HEAD"])
        }
        // A request that reads has no body. One that announces a body would have it read as the next request.
        let length = head.headers["Content-Length"].first.flatMap { Int($0) } ?? 0
        guard length == 0, !head.headers.contains(name: "Transfer-Encoding") else { return refuse(.tooLarge(0)) }
        return .success(request)
    }

    /// A reply to a request that is not served.
    struct Refusal: Error {
        let reply: Reply
    }

    private func refuse(
        _ failure: ControlFailure, allowing methods: [String] = []
    ) -> Swift.Result<Request, Refusal> {
        count(.refused)
        return .failure(Refusal(reply: Reply(failure, allowing: methods)))
    }

    private func count(_ result: Result) { results.withLock { $0[result.rawValue] += 1 } }

    func reply(to request: Request) async -> Reply {
        switch request {
        case .health:
            guard handler.isServing else {
                count(.unavailable)
                return Reply(status: .serviceUnavailable, mediaType: "text/plain", body: Array("not serving\n".utf8))
            }
            count(.served)
            return Reply(mediaType: "text/plain", body: Array("ok\n".utf8))
        case .metrics:
            switch await page.text() {
            case .success(let text):
                count(.served)
                return Reply(mediaType: PrometheusText.mediaType, text: text)
            case .failure(let failure):
                count(.unavailable)
                return Reply(failure)
            }
        }
    }
}
