import IPNetworks
import NIOCore
import NIOSSL
import NIOTLS

/// One connection: takes messages out of the stream, answers them in order, and never holds more than it may.
///
///     bytes ──► pending ──► message ──► answering ──► outgoing ──► socket
///        ▲                                                          │ not writable
///        └──────────────── reading stops until the client takes its replies
///
/// Confined to its event loop.
final class TCPConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    /// User event: answer what is complete, then close.
    struct Drain: Sendable {}

    /// Replies of one read leave together, in pieces of about this size.
    private static let flushBytes = 32 * 1_024
    /// How long a client may take to close its side after ours is closed; leaving at once with unread bytes would reset
    /// the connection and could destroy replies on their way.
    private static let linger = TimeAmount.seconds(1)

    private enum Phase {
        case open
        /// No query is read any more; the connection closes when the replies have left.
        case finishing(lingering: Bool)
        case closed
    }

    private let answering: any PacketAnswering
    private let client: SocketEndpoint
    private let transport: Transport
    private let connections: TCPConnections
    private let place: OpenConnections.Place
    /// Over TLS, after the handshake.
    private var isReady: Bool
    private var queriesLeft: Int
    private var phase = Phase.open
    private var pending = ByteBuffer()
    private var reply: [UInt8] = []
    private var unsent = 0
    private var readHeld = false
    private var isAnswering = false
    private var lastProgress = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?

    init(
        answering: any PacketAnswering, client: SocketEndpoint, transport: Transport, connections: TCPConnections,
        place: OpenConnections.Place
    ) {
        self.answering = answering
        self.client = client
        self.transport = transport
        self.connections = connections
        self.place = place
        isReady = transport != .tls
        let queries = connections.limits.queriesPerConnection
        queriesLeft = queries > 0 ? queries : .max
    }

    func handlerAdded(context: ChannelHandlerContext) {
        lastProgress = .now()
        scheduleIdleCheck(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        phase = .closed
        idleTimer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open = phase else { return }
        var bytes = unwrapInboundIn(data)
        if pending.readableBytes == 0 { pending = bytes } else { pending.writeBuffer(&bytes) }
        answerPending(context)
    }

    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { readHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            answerPending(context)
            if readHeld, context.channel.isWritable {
                readHeld = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is Drain {
            finish(context, lingering: true)
        } else if case .handshakeCompleted? = event as? TLSUserEvent {
            isReady = true
            lastProgress = .now()
        } else if let event = event as? ChannelEvent, event == .inputClosed {
            if case .closed = phase { context.close(promise: nil) } else { finish(context, lingering: false) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of the stream without TLS's word of farewell ends the queries, not the replies; `inputClosed` follows.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        // A reset, a broken pipe, or bytes that are not TLS: the client is gone, which is no event worth a word.
        context.close(promise: nil)
    }
}

// MARK: - Messages

extension TCPConnectionHandler {
    /// Answers the complete messages in `pending`, as long as the client takes the replies.
    private func answerPending(_ context: ChannelHandlerContext) {
        // A flush may report writability from inside this loop, which then goes on by itself.
        guard !isAnswering else { return }
        isAnswering = true
        defer { isAnswering = false }
        var outgoing = context.channel.allocator.buffer(capacity: 0)
        while context.channel.isWritable, let length = pendingMessageLength() {
            guard queriesLeft > 0 else {
                pending.clear()
                send(outgoing, context)
                return finish(context, lingering: true)
            }
            queriesLeft -= 1
            guard length > 0 else {
                // Nothing to answer. The connection goes on, for what is behind it; but it counts, and is no progress.
                pending.moveReaderIndex(forwardBy: 2)
                continue
            }
            answerMessage(of: length, into: &outgoing)
            if outgoing.readableBytes >= Self.flushBytes {
                send(outgoing, context)
                outgoing = context.channel.allocator.buffer(capacity: Self.flushBytes)
            }
        }
        pending.discardReadBytes()
        send(outgoing, context)
        if queriesLeft == 0 {
            pending.clear()
            finish(context, lingering: true)
        }
        closeWhenFinished(context)
    }

    /// The length of the next message when all of it is there.
    private func pendingMessageLength() -> Int? {
        guard let length = pending.getInteger(at: pending.readerIndex, as: UInt16.self),
            pending.readableBytes >= 2 + Int(length)
        else { return nil }
        return Int(length)
    }

    private func answerMessage(of length: Int, into outgoing: inout ByteBuffer) {
        lastProgress = .now()
        connections.touch(place)
        pending.moveReaderIndex(forwardBy: 2)
        reply.removeAll(keepingCapacity: true)
        pending.withUnsafeReadableBytes { bytes in
            answering.answer(.init(rebasing: bytes.prefix(length)), from: client, over: transport, into: &reply)
        }
        pending.moveReaderIndex(forwardBy: length)
        guard !reply.isEmpty, let count = UInt16(exactly: reply.count) else { return }
        outgoing.writeInteger(count)
        outgoing.writeBytes(reply)
    }

    private func send(_ replies: ByteBuffer, _ context: ChannelHandlerContext) {
        guard replies.readableBytes > 0 else { return }
        unsent += 1
        context.writeAndFlush(wrapOutboundOut(replies)).assumeIsolated().whenComplete { [self] _ in
            unsent -= 1
            lastProgress = .now()
            closeWhenFinished(context)
        }
    }
}

// MARK: - The end

extension TCPConnectionHandler {
    private func finish(_ context: ChannelHandlerContext, lingering: Bool) {
        guard case .open = phase else { return }
        phase = .finishing(lingering: lingering)
        closeWhenFinished(context)
    }

    /// Closes once a finishing connection has answered every complete message and its replies have left.
    private func closeWhenFinished(_ context: ChannelHandlerContext) {
        guard case .finishing(let lingering) = phase, unsent == 0, pendingMessageLength() == nil else { return }
        phase = .closed
        guard lingering else { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        scheduleClose(context, in: Self.linger)
    }

    /// One deadline for every way to do nothing: a silent client, one that sends a query a byte at a time, and one that
    /// does not take its replies. Looked at ten times, for the time that is given may shrink meanwhile.
    private func scheduleIdleCheck(_ context: ChannelHandlerContext) {
        let left = lastProgress + connections.patience(isReady: isReady) - .now()
        guard left > .nanoseconds(0) else { return context.close(promise: nil) }
        let step = TimeAmount.nanoseconds(Int64(connections.limits.idleSeconds * 1e8))
        idleTimer = context.eventLoop.assumeIsolated().scheduleTask(in: min(left, step)) { [self] in
            scheduleIdleCheck(context)
        }
    }

    private func scheduleClose(_ context: ChannelHandlerContext, in delay: TimeAmount) {
        idleTimer?.cancel()
        idleTimer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            context.close(promise: nil)
        }
    }
}
