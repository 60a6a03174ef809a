import Health
import IPNetworks
import NIOCore
import NIOHTTP1

/// Sends one request, and judges status code and body; a redirect that is to be followed goes to whoever opens the next
/// connection.
final class HTTPProbing: ProbeHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private static let limit = 256 << 10
    /// RFC 9110, section 15.4: those that name another place to ask with GET.
    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    let attempt: Attempt
    private let probe: HTTPProbe
    private let journey: HTTPJourney
    private let follow: (HTTPJourney) -> Void
    private var status = 0
    private var expectation: Expectation
    /// Another connection asks on.
    private var hasMovedOn = false

    /// - Parameter follow: goes on where a redirect leads.
    init(
        _ probe: HTTPProbe, _ journey: HTTPJourney, _ attempt: Attempt, follow: @escaping (HTTPJourney) -> Void
    ) {
        self.probe = probe
        self.journey = journey
        self.attempt = attempt
        self.follow = follow
        expectation = Expectation(probe.body, limit: Self.limit)
    }

    /// Where a probe begins.
    static func start(_ probe: HTTPProbe, target: IPAddress) -> HTTPJourney {
        let host = probe.hostField(target)
        return HTTPJourney(
            HTTPTarget(isSecure: probe.tls != nil, host: host.lowercased(), port: probe.port, path: probe.path),
            probe.redirects)
    }

    func channelActive(context: ChannelHandlerContext) {
        let target = journey.target
        let headers: HTTPHeaders = [
            "Host": journey.hostField, "User-Agent": HTTPProbe.agent, "Accept": "*/*",
            "Connection": "close",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasMovedOn else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): judge(head, context)
        case .body(let part):
            switch expectation.take(part.readableBytesView) {
            case .found: attempt.finish(.passed("status \(status), body as expected"))
            case .missing: break
            case .tooMuch:
                attempt.finish(.failed("what is expected is not among the first \(Self.limit) bytes of the body"))
            }
        case .end:
            attempt.finish(.failed("status \(status), and the body has not what is expected"))
        }
    }

    private func judge(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        status = Int(head.status.code)
        if probe.codes.contains(status) {
            if probe.body.isEmpty { attempt.finish(.passed("status \(status)")) }
            return
        }
        guard probe.redirects.limit > 0, Self.redirects.contains(status) else {
            return attempt.finish(.failed("status \(status)"))
        }
        var next = journey
        do throws(HTTPJourney.Refusal) { try next.follow(head.headers["Location"].first) } catch {
            return attempt.finish(.failed("status \(status), \(error.evidence)"))
        }
        hasMovedOn = true
        context.close(promise: nil)
        follow(next)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasMovedOn { attempt.finish(.failed("the connection was closed")) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hasMovedOn { fail(error, context) }
    }
}
