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
    /// Whether the expected text is found.
    private var isFound: Bool
    /// The body so far, where JSON is expected in it.
    private var body: [UInt8] = []
    /// The host of the first request.
    private let firstHost: String
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
        isFound = http.body.isEmpty
        firstHost = Self.chain(http, of: probe.check).target.host
    }

    /// Starts a probe.
    static func chain(_ http: HTTPProbe, of check: Check) -> RedirectChain {
        let host = http.hostField(check.target)
        return RedirectChain(
            HTTPTarget(isSecure: http.tls != nil, host: host.lowercased(), port: http.port, path: http.path),
            http.redirects)
    }

    func channelActive(context: ChannelHandlerContext) {
        var headers: HTTPHeaders = [
            "Host": chain.hostField, "User-Agent": HTTPProbe.agent, "Accept": "*/*", "Connection": "close",
        ]
        // They may hold secrets of the first host.
        if chain.target.host == firstHost {
            for field in http.fields { headers.add(name: field.name, value: field.value) }
        }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: chain.target.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasMovedOn else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): judge(head, context)
        case .body(let part): take(part.readableBytesView)
        case .end:
            guard isFound else { return probe.finish(.failed("status \(status), expected text not in the body")) }
            let problem = http.json.flatMap { $0.problem(in: body) }
            probe.finish(
                problem.map { .failed("status \(status), \($0)") } ?? .passed("status \(status), body as expected"))
        }
    }

    private func take(_ part: ByteBufferView) {
        if http.json != nil {
            body += part
            guard body.count <= Self.limit else {
                return probe.finish(.failed("the body has more than \(Self.limit) bytes"))
            }
        }
        guard !isFound else { return }
        switch expectation.take(part) {
        case .found:
            isFound = true
            if http.json == nil { probe.finish(.passed("status \(status), body as expected")) }
        case .missing: break
        case .tooMuch: probe.finish(.failed("the expected text is not in the first \(Self.limit) bytes of the body"))
        }
    }

    private func judge(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        status = Int(head.status.code)
        if http.codes.contains(status) {
            if http.body.isEmpty, http.json == nil { probe.finish(.passed("status \(status)")) }
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
