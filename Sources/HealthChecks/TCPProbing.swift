import Health
import NIOCore

/// Connects, says something where there is something to say, and looks for what must come back.
final class TCPProbing: ProbeHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let limit = 64 << 10

    let attempt: Attempt
    private let probe: TCPProbe
    private var expectation: Expectation

    init(_ probe: TCPProbe, _ attempt: Attempt) {
        self.probe = probe
        self.attempt = attempt
        expectation = Expectation(probe.expect, limit: Self.limit)
    }

    func channelActive(context: ChannelHandlerContext) {
        if !probe.send.isEmpty {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: probe.send)), promise: nil)
        }
        if probe.expect.isEmpty { attempt.finish(.passed("connected")) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch expectation.take(unwrapInboundIn(data).readableBytesView) {
        case .found: attempt.finish(.passed("answered as expected"))
        case .missing: break
        case .tooMuch: attempt.finish(.failed("what is expected is not among the first \(Self.limit) bytes"))
        }
    }
}
