import NIOCore

/// Ends a probe whose target sends more than any valid answer needs, whatever it consists of: interim responses,
/// fields, chunks.
final class ByteLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Up to 256 KiB of a page are searched. The same amount again is allowed for its header and chunk framing.
    static let bytes = 512 << 10

    private let probe: ChannelProbe
    private var taken = 0

    init(_ probe: ChannelProbe) { self.probe = probe }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        taken += unwrapInboundIn(data).readableBytes
        guard taken <= Self.bytes else {
            return probe.finish(.failed("the answer has more than \(Self.bytes) bytes"))
        }
        context.fireChannelRead(data)
    }
}
