import Health
import IPNetworks
import NIOCore
import NIOHTTP1

/// Sends one request and checks status code and body. To follow a redirect, it passes the chain on to the next
/// connection.
final class HTTPRequestHandler: ProbeHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private static let limit = 256 << 10
    /// RFC 9110, section 15.4: redirects that are repeated with GET.
    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    let probe: ChannelProbe
    private let http: HTTPProbe
    private let chain: RedirectChain
    private let follow: (RedirectChain) -> Void
    private var status = 0
    private var expectation: Expectation
    /// Whether another connection has taken over the probe.
    private var hasMovedOn = false

    /// - Parameter follow: continues the probe at a redirect's target.
    init(
        _ http: HTTPProbe, _ chain: RedirectChain, _ probe: ChannelProbe, follow: @escaping (RedirectChain) -> Void
    ) {
        self.http = http
        self.chain = chain
        self.probe = probe
        self.follow = follow
        expectation = Expectation(http.body, limit: Self.limit)
    }

    /// Starts a probe.
    static func chain(_ http: HTTPProbe, target: IPAddress) -> RedirectChain {
        let host = http.hostField(target)
        return RedirectChain(
            HTTPTarget(isSecure: http.tls != nil, host: host.lowercased(), port: http.port, path: http.path),
            http.redirects)
    }

    func channelActive(context: ChannelHandlerContext) {
        let headers: HTTPHeaders = [
            "Host": chain.hostField, "User-Agent": HTTPProbe.agent, "Accept": "*/*", "Connection": "close",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: chain.target.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasMovedOn else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): judge(head, context)
        case .body(let part):
            switch expectation.take(part.readableBytesView) {
            case .found: probe.finish(.passed("status \(status), body as expected"))
            case .missing: break
            case .tooMuch:
                probe.finish(.failed("the expected text is not in the first \(Self.limit) bytes of the body"))
            }
        case .end:
            probe.finish(.failed("status \(status), expected text not in the body"))
        }
    }

    private func judge(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        status = Int(head.status.code)
        if http.codes.contains(status) {
            if http.body.isEmpty { probe.finish(.passed("status \(status)")) }
            return
        }
        guard http.redirects.limit > 0, Self.redirects.contains(status) else {
            return probe.finish(.failed("status \(status)"))
        }
        var next = chain
        do throws(RedirectChain.Refusal) { try next.follow(head.headers["Location"].first) } catch {
            return probe.finish(.failed("status \(status), \(error.evidence)"))
        }
        hasMovedOn = true
        context.close(promise: nil)
        follow(next)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasMovedOn { probe.finish(.failed("the connection was closed")) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hasMovedOn { fail(error, context) }
    }
}
