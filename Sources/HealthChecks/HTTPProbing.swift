import Health
import IPNetworks
import NIOCore
import NIOHTTP1

/// Sends one request, and judges status code and body.
final class HTTPProbing: ProbeHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private static let limit = 256 << 10

    let attempt: Attempt
    private let probe: HTTPProbe
    private let host: String
    private var status = 0
    private var expectation: Expectation

    init(_ probe: HTTPProbe, target: IPAddress, _ attempt: Attempt) {
        self.probe = probe
        self.attempt = attempt
        host = probe.hostField(target)
        expectation = Expectation(probe.body, limit: Self.limit)
    }

    func channelActive(context: ChannelHandlerContext) {
        let headers: HTTPHeaders = [
            "Host": host, "User-Agent": HTTPProbe.agent, "Accept": "*/*", "Connection": "close",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: probe.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = Int(head.status.code)
            guard probe.codes.contains(status) else { return attempt.finish(.failed("status \(status)")) }
            if probe.body.isEmpty { attempt.finish(.passed("status \(status)")) }
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
}
