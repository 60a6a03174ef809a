import NIOCore
import NIOHTTP1

/// Collects one response.
final class ResponseCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    struct Response: Sendable {
        var status: Int
        var body: [UInt8]
    }

    /// The connection ended before the response was complete.
    struct Cut: Error {}

    /// The response is larger than any that the daemon sends.
    struct TooLarge: Error, CustomStringConvertible {
        var description: String { "it has more than \(maximumBody >> 20) MiB" }
    }

    private static let maximumBody = 256 << 20

    private let promise: EventLoopPromise<Response>
    private var response = Response(status: 0, body: [])

    init(_ promise: EventLoopPromise<Response>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            response.status = Int(head.status.code)
            let length = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
            guard (0...Self.maximumBody).contains(length) else { return refuse(context) }
            response.body.reserveCapacity(length)
        case .body(let part):
            guard response.body.count + part.readableBytes <= Self.maximumBody else { return refuse(context) }
            response.body += part.readableBytesView
        case .end: promise.succeed(response)
        }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        promise.fail(TooLarge())
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(Cut())
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }
}
