import ControlFailures
import Hummingbird
import HummingbirdCore
import LinuxSupport
import Logging
import NIOCore
import NIOHTTP1

/// A connection to the control socket: HTTP/1.1 within limits of size, number and time.
struct ControlChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let places: ControlPlaces

    init(_ places: ControlPlaces, responder: @escaping HTTPChannelHandler.Responder) {
        self.places = places
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: ControlServer.Limits.headBytes,
                    maxHeaderListSize: ControlServer.Limits.headBytes,
                    maxHeaderFieldCount: ControlServer.Limits.headFields)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let reads = FixedSizeRecvByteBufferAllocator(capacity: ControlServer.Limits.readBytes)
        return channel.setOption(.recvAllocator, value: reads)
            .flatMap { channel.setOption(.maxMessagesPerRead, value: 1) }
            .flatMap { http.setup(channel: channel, logger: logger) }
            .flatMapThrowing { value in
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(ControlWatch(places), position: .after(decoder))
                return value
            }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// Takes a place for the connection, and closes it if it makes no progress.
///
///     idle ── head ──► read ── end ──► answered ── head ──► taken ── end ──► idle
///      60 s            10 s            no limit             10 s
///
/// The time of a request that comes before the answer to an earlier one begins when that answer is sent. While a client
/// does not read, so that answers cannot be written, the connection is one whose answer is taken, whatever else it waits
/// for.
///
/// Routes without a body act on the head. So the head waits here for the end of the request: only then is it known whether
/// there is a place to answer it. A large body is passed on as it comes, because it has no room here.
final class ControlWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Stage { case idle, reading, answering, sending }

    private let places: ControlPlaces
    private var guest: ControlPlaces.Guest?
    private var isReading = false
    /// The request that is being read, until it is passed on.
    private var held: (head: HTTPRequestHead, body: ByteBuffer)?
    private var isSending = false
    /// Complete requests without a complete answer; -1: the answer came before the end of its request.
    private var unanswered = 0
    private var stage = Stage.idle
    /// Whether a request was refused, so that the connection ends.
    private var isRefused = false
    private var limit: Scheduled<Void>?

    init(_ places: ControlPlaces) { self.places = places }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        PeerCredentials.of(context.channel).whenComplete { result in
            let (watch, context) = bound.value
            guard case .success(let peer) = result else { return context.close(promise: nil) }
            watch.guest = watch.places.admit(context.channel, of: peer)
            watch.allow(watch.places.limits.idleMilliseconds, context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { limit?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReading = true
            held = (head, ByteBuffer())
            update(context)
        case .body(let part):
            guard held != nil else { return context.fireChannelRead(data) }
            // Copied: each part would keep the whole read that it came with.
            held?.body.writeImmutableBuffer(part)
            if (held?.body.readableBytes ?? 0) > ControlServer.Limits.largeBody { passOn(context) }
        case .end:
            (isReading, unanswered) = (false, unanswered + 1)
            update(context)
            guard !isRefused else { return }
            passOn(context)
            context.fireChannelRead(data)
        }
    }

    /// Passes on what was held.
    private func passOn(_ context: ChannelHandlerContext) {
        guard let (head, body) = held else { return }
        held = nil
        context.fireChannelRead(wrapInboundOut(.head(head)))
        if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: isSending = true
        case .body: break
        case .end: (isSending, unanswered) = (false, unanswered - 1)
        }
        update(context)
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // A connection that closes, also because the loop ends, can no longer be written to either.
        if context.channel.isActive { update(context) }
        context.fireChannelWritabilityChanged()
    }

    private func update(_ context: ChannelHandlerContext) {
        let isBlocked = isSending || !context.channel.isWritable
        let next: Stage = isBlocked ? .sending : unanswered > 0 ? .answering : isReading ? .reading : .idle
        guard next != stage else { return }
        let isBusy = next == .answering || next == .sending
        if let guest, (stage == .answering || stage == .sending) != isBusy, !places.setBusy(guest, isBusy) {
            return refuse(context)
        }
        stage = next
        switch next {
        case .idle: allow(places.limits.idleMilliseconds, context)
        case .reading, .sending: allow(places.limits.requestMilliseconds, context)
        case .answering: limit?.cancel()
        }
    }

    /// Says that too many requests are being answered, and closes the connection.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        let remedy =
            held == nil
            ? "its body is large, so it may have been begun: look before you try again"
            : "nothing was done: try again in a moment"
        let reply = Reply(
            ControlFailure(
                .unavailable, "the daemon answers as many requests as it can at once",
                remedy: remedy))
        let headers: HTTPHeaders = [
            "content-type": Reply.json, "content-length": "\(reply.body.readableBytes)", "retry-after": "1",
            "connection": "close",
        ]
        context.write(
            wrapOutboundOut(.head(.init(version: .http1_1, status: .serviceUnavailable, headers: headers))),
            promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(reply.body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Closes the connection if the next step takes longer.
    private func allow(_ milliseconds: Int64, _ context: ChannelHandlerContext) {
        limit?.cancel()
        guard context.channel.isActive else { return }
        let (channel, places) = (context.channel, places)
        limit = context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
            places.noteSlow()
            channel.close(promise: nil)
        }
    }
}
