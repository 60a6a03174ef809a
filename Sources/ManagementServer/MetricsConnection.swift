import DNSServer
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOTLS

/// One connection of the listener for metrics: one request at a time, each in its time and of its size.
///
///     accepted ── handshake ── request ──► reply, in parts ──► idle ── next request …
///        └─────── 3 s ───┘└──── 10 s ───┘└────── 10 s ─────┘└ 120 s ┘
///
/// A reply may have megabytes. The connection writes a part when the one before has left, so a client that reads slowly
/// holds no more than a part: the text belongs to all connections.
final class MetricsConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let partBytes = 16 * 1_024

    private let responder: MetricsResponder
    private let connections: HTTPConnections
    private let ticket: OpenConnections.Ticket
    private let input: InputLimit
    private let isEncrypted: Bool
    /// The request that is being read; `nil` between requests, and once it is refused.
    private var request: MetricsResponder.Request?
    private var isHead = false
    private var keepsAlive = false
    private var limit: Scheduled<Void>?

    init(
        _ responder: MetricsResponder, _ connections: HTTPConnections, _ ticket: OpenConnections.Ticket,
        _ input: InputLimit, isEncrypted: Bool
    ) {
        self.responder = responder
        self.connections = connections
        self.ticket = ticket
        self.input = input
        self.isEncrypted = isEncrypted
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let limits = connections.limits
        let handshake = min(limits.handshakeMilliseconds, limits.requestMilliseconds)
        allow(isEncrypted ? handshake : limits.requestMilliseconds, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { limit?.cancel() }

    /// Closes the connection if the next step takes longer.
    private func allow(_ milliseconds: Int64, _ context: ChannelHandlerContext) {
        limit?.cancel()
        let (channel, connections) = (context.channel, connections)
        limit = context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
            connections.noteSlow()
            ConnectionDoor.shut(channel)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            connections.noteHandshake(ticket)
            allow(connections.limits.requestMilliseconds, context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): open(head, context)
        case .body: break
        case .end:
            input.isLifted = false
            guard let request else { return }
            self.request = nil
            connections.noteProgress(ticket)
            answer(request, context)
        }
    }

    private func open(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        allow(connections.limits.requestMilliseconds, context)
        (keepsAlive, isHead) = (head.isKeepAlive, head.method == .HEAD)
        switch responder.admit(head) {
        case .success(let admitted): request = admitted
        case .failure(let refusal):
            keepsAlive = false
            write(refusal.reply, context)
        }
    }

    private func answer(_ request: MetricsResponder.Request, _ context: ChannelHandlerContext) {
        let (responder, loop) = (responder, context.eventLoop)
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        Task {
            let reply = await responder.reply(to: request)
            loop.execute {
                let (connection, context) = bound.value
                guard context.channel.isActive else { return }
                connection.write(reply, context)
            }
        }
    }

    private func write(_ reply: Reply, _ context: ChannelHandlerContext) {
        allow(connections.limits.requestMilliseconds, context)
        var headers = HTTPHeaders(reply.headers.map { ($0.name.rawName, $0.value) })
        headers.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status.code), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        // RFC 9110, section 9.3.2: the fields of a GET, without content.
        send(isHead ? ByteBuffer() : reply.body, context)
    }

    private func send(_ rest: ByteBuffer, _ context: ChannelHandlerContext) {
        var rest = rest
        guard let part = rest.readSlice(length: min(rest.readableBytes, Self.partBytes)), part.readableBytes > 0 else {
            return finish(context)
        }
        let left = rest
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part)))).assumeIsolated().whenComplete {
            [self] result in
            guard case .success = result else { return context.close(promise: nil) }
            // Not from here: while the client keeps up, each part would call the next one inside its own call.
            context.eventLoop.assumeIsolated().execute { [self] in send(left, context) }
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { [self] _ in
            guard keepsAlive else { return context.close(promise: nil) }
            allow(connections.limits.idleMilliseconds, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
