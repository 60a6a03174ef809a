import Health
import NIOCore
import NIOTLS

/// Sends a text, over TLS or without it, and waits for another one.
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

    func channelActive(context: ChannelHandlerContext) {
        if tcp.tls == nil { start(context, .passed("connected")) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        start(context, .passed("connected with TLS"))
    }

    /// - Parameter connected: the outcome, if nothing is expected.
    private func start(_ context: ChannelHandlerContext, _ connected: ProbeOutcome) {
        guard !tcp.send.isEmpty || !tcp.expect.isEmpty else { return probe.finish(connected) }
        let sending = context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: tcp.send)))
        guard tcp.expect.isEmpty else { return }
        let probe = probe
        sending.whenSuccess { probe.finish(connected) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch expectation.take(unwrapInboundIn(data).readableBytesView) {
        case .found: probe.finish(.passed("answered as expected"))
        case .missing: break
        case .tooMuch: probe.finish(.failed("the expected text is not in the first \(Self.limit) bytes"))
        }
    }
}
