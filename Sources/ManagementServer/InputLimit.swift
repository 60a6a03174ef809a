import NIOCore

/// Counts the bytes that a connection has sent since its token was last known, and ends it beyond the limit.
///
/// It stands before the HTTP decoder, so that nothing goes around it: a long target, many fields, trailers, sizes of
/// chunks or requests in a row. What passes is all that the handlers behind it can hold for a stranger.
final class InputLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: Int
    private let onExcess: () -> Void
    private var taken = 0
    private var isOver = false

    /// - Parameter onExcess: called once, before the connection is told and closed.
    init(_ limit: Int, onExcess: @escaping () -> Void) {
        self.limit = limit
        self.onExcess = onExcess
    }

    /// From a head with a known token to the end of that request, of which others know the bounds.
    var isLifted = false { didSet { taken = 0 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if !isLifted { taken += unwrapInboundIn(data).readableBytes }
        guard taken > limit else { return context.fireChannelRead(data) }
        isOver = true
        onExcess()
        let status = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: status))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
