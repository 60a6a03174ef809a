import ControlFailures
import DNSServer
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOTLS

/// One connection: gathers requests, each in its time and of its size, and writes the responses of the router.
///
///     accepted ── handshake ── request ──► gate ──► router ──► response ──► idle ── next request …
///        └─────── 3 s ───┘└──── 10 s ───┘                        └ 60 s ┘
///
/// It holds no more for a stranger than ``InputLimit`` lets pass.
final class ReportConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let gate: ReportGate
    private let connections: HTTPConnections
    private let ticket: OpenConnections.Ticket
    private let input: InputLimit
    private let isEncrypted: Bool
    /// The request that is being read; `nil` between requests, and once it is refused.
    private var admission: ReportGate.Admission?
    private var body: [UInt8] = []
    private var keepsAlive = false
    private var limit: Scheduled<Void>?

    init(
        _ gate: ReportGate, _ connections: HTTPConnections, _ ticket: OpenConnections.Ticket, _ input: InputLimit,
        isEncrypted: Bool
    ) {
        self.gate = gate
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
        case .body(let part):
            guard let admission else { return }
            guard body.count + part.readableBytes <= admission.limit else {
                self.admission = nil
                return write(gate.refuseBody(admission), keepsAlive: false, context)
            }
            body += part.readableBytesView
        case .end:
            input.isLifted = false
            guard let admission else { return }
            self.admission = nil
            answer(admission, body, context)
        }
    }

    private func open(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        allow(connections.limits.requestMilliseconds, context)
        (body, keepsAlive) = ([], head.isKeepAlive)
        do throws(ControlFailure) {
            let admission = try gate.admit(head)
            input.isLifted = true
            connections.noteProgress(ticket)
            let length = head.headers["Content-Length"].first.flatMap { Int($0) } ?? 0
            guard length <= admission.limit else {
                return write(gate.refuseBody(admission), keepsAlive: false, context)
            }
            self.admission = admission
        } catch { write(Reply(error), keepsAlive: false, context) }
    }

    private func answer(_ admission: ReportGate.Admission, _ body: [UInt8], _ context: ChannelHandlerContext) {
        let (gate, channel, loop) = (gate, context.channel, context.eventLoop)
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        self.body = []
        Task {
            let reply = await gate.respond(to: admission, body, on: channel)
            loop.execute {
                let (connection, context) = bound.value
                guard context.channel.isActive else { return }
                connection.write(reply, keepsAlive: connection.keepsAlive, context)
            }
        }
    }

    private func write(_ reply: Reply, keepsAlive: Bool, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders(reply.headers.map { ($0.name.rawName, $0.value) })
        headers.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status.code), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(reply.body))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard keepsAlive else {
            let channel = context.channel
            return written.whenComplete { _ in channel.close(promise: nil) }
        }
        allow(connections.limits.idleMilliseconds, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
