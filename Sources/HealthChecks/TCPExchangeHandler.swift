import Health
import NIOCore
import NIOTLS

/// Sends a text over TLS and waits for another one.
final class TCPExchangeHandler: ProbeHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let limit = 64 << 10

    let probe: ChannelProbe
    private let tcp: TCPProbe
    private var expectation: Expectation

    init(_ tcp: TCPProbe, _ probe: ChannelProbe) {
        self.tcp = tcp
        self.probe = probe
        expectation = Expectation(tcp.expect, limit: Self.limit)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        guard !tcp.send.isEmpty || !tcp.expect.isEmpty else { return probe.finish(.passed("connected with TLS")) }
        let sending = context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: tcp.send)))
        guard tcp.expect.isEmpty else { return }
        let probe = probe
        sending.whenSuccess { probe.finish(.passed("connected with TLS")) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch expectation.take(unwrapInboundIn(data).readableBytesView) {
        case .found: probe.finish(.passed("answered as expected"))
        case .missing: break
        case .tooMuch: probe.finish(.failed("the expected text is not in the first \(Self.limit) bytes"))
        }
    }
}
