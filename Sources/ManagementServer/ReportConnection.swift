import DNSServer
import NIOCore
import NIOHTTP1
import NIOTLS

/// One connection: gathers requests, each in its time and of its size, and writes what the desk says.
///
///     accepted ── handshake ── request ──► desk ──► response ──► idle ── next request …
///        └─────── 3 s ───┘└──── 10 s ───┘                        └ 60 s ┘
///
/// Of strangers no more is held than ``InputLimit`` lets pass.
final class ReportConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let desk: ReportDesk
    private let connections: ReportConnections
    private let ticket: OpenConnections.Ticket
    private let input: InputLimit
    private let isEncrypted: Bool
    /// The request that is read; `nil` between two, and when it is refused already.
    private var visit: ReportDesk.Visit?
    private var body: [UInt8] = []
    private var keepsAlive = false
    private var limit: Scheduled<Void>?

    init(
        _ desk: ReportDesk, _ connections: ReportConnections, _ ticket: OpenConnections.Ticket, _ input: InputLimit,
        isEncrypted: Bool
    ) {
        self.desk = desk
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

    /// Closes the connection when what comes next takes longer.
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
        case .body(let part):
            guard let visit else { return }
            guard body.count + part.readableBytes <= visit.limit else {
                self.visit = nil
                return write(desk.tooLarge(visit), keepsAlive: false, context)
            }
            body += part.readableBytesView
        case .end:
            input.isLifted = false
            guard let visit else { return }
            self.visit = nil
            answer(visit, body, context)
        }
    }

    private func open(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        allow(connections.limits.requestMilliseconds, context)
        (body, keepsAlive) = ([], head.isKeepAlive)
        switch desk.visit(head.method.rawValue, head.uri, authorization: head.headers["Authorization"]) {
        case .success(let visit):
            input.isLifted = true
            connections.noteProgress(ticket)
            let length = head.headers["Content-Length"].first.flatMap { Int($0) } ?? 0
            guard length <= visit.limit else { return write(desk.tooLarge(visit), keepsAlive: false, context) }
            self.visit = visit
        case .failure(let refusal): write(refusal.response, keepsAlive: false, context)
        }
    }

    private func answer(_ visit: ReportDesk.Visit, _ body: [UInt8], _ context: ChannelHandlerContext) {
        let (desk, loop) = (desk, context.eventLoop)
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        self.body = []
        Task {
            let response = await desk.respond(to: visit, body)
            loop.execute {
                let (connection, context) = bound.value
                guard context.channel.isActive else { return }
                connection.write(response, keepsAlive: connection.keepsAlive, context)
            }
        }
    }

    private func write(_ response: ReportDesk.Response, keepsAlive: Bool, _ context: ChannelHandlerContext) {
        var headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": "\(response.body.count)",
            "Connection": keepsAlive ? "keep-alive" : "close",
        ]
        // RFC 6750, section 3.
        if response.status == 401 { headers.add(name: "WWW-Authenticate", value: "Bearer") }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard keepsAlive else {
            let channel = context.channel
            return written.whenComplete { _ in channel.close(promise: nil) }
        }
        allow(connections.limits.idleMilliseconds, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
