import NIOCore

/// Counts the bytes that a connection sent since its token was last known, and closes it beyond the limit.
///
/// It is in front of the HTTP decoder, so that nothing can bypass it: a long target, many fields, trailers, sizes of
/// chunks or pipelined requests. The handlers behind it can hold no more for a stranger than it lets pass.
final class InputLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: Int
    private let onExcess: () -> Void
    private var taken = 0
    private var isOver = false

    /// - Parameter onExcess: called once, before the connection gets its response and is closed.
    init(_ limit: Int, onExcess: @escaping () -> Void) {
        self.limit = limit
        self.onExcess = onExcess
    }

    /// From a head with a known token to the end of its request, which has limits of its own.
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
