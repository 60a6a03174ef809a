import NIOCore

/// Ends a probe whose target sends more than any answer needs, whatever it consists of: interim responses, fields, chunks.
final class ByteLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// A page is looked at up to 256 KiB; as much again is for its head, and for the frames of its chunks.
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
