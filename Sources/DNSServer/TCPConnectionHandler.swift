package import IPNetworks
import LinuxSupport
package import NIOCore
import NIOSSL
import NIOTLS
import Telemetry

/// One connection: splits the stream into messages, answers them in order, and keeps within its memory limit.
///
///     bytes ──► pending ──► message ──► answering ──► outgoing ──► socket
///        ▲                                                          │ not writable
///        └──────────────── reading stops until the client takes its replies
///
/// Confined to its event loop. It reads no clock but the loop's.
package final class TCPConnectionHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = Never
    package typealias OutboundOut = ByteBuffer

    /// User event: answer the complete messages, then close.
    struct Drain: Sendable {}

    /// Replies to the queries of one read leave together, in pieces of about this size.
    private static let flushBytes = 16 * 1_024
    /// How long a client may take to close its side after ours is closed. Closing at once with unread bytes would reset
    /// the connection and could destroy replies in transit.
    private static let linger = TimeAmount.seconds(1)

    private enum Phase {
        case open
        /// No query is read any more. The connection closes when all replies have left.
        case finishing(lingering: Bool)
        case closed
    }

    private let answering: any PacketAnswering
    private let client: SocketEndpoint
    private let transport: Transport
    private let connections: TCPConnections
    private let ticket: OpenConnections.Ticket
    private var queriesLeft: Int
    private var phase = Phase.open
    private var isHandshaking: Bool
    /// Has no storage while no query is incomplete, so an idle connection holds nothing.
    private var pending = ByteBuffer()
    /// Writes that the socket has not accepted yet, and their bytes.
    private var unsent = (writes: 0, bytes: 0)
    /// Bytes counted for this connection in `connections`.
    private var held = 0
    private var readHeld = false
    private var isAnswering = false
    /// Set when the handler joins its channel.
    private var lastProgress = NIODeadline.uptimeNanoseconds(0)
    private var idleTimer: Scheduled<Void>?

    package init(
        answering: any PacketAnswering, client: SocketEndpoint, transport: Transport, connections: TCPConnections,
        ticket: OpenConnections.Ticket
    ) {
        self.answering = answering
        self.client = client
        self.transport = transport
        self.connections = connections
        self.ticket = ticket
        isHandshaking = transport == .tls
        let queries = connections.limits.queriesPerConnection
        queriesLeft = queries > 0 ? queries : .max
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        lastProgress = context.eventLoop.now
        scheduleIdleCheck(context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        phase = .closed
        idleTimer?.cancel()
        release()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open = phase else { return }
        var bytes = unwrapInboundIn(data)
        // The channel reuses the same storage for its next read if no other reference is kept.
        let isOwn = pending.readableBytes > 0
        if isOwn { pending.writeBuffer(&bytes) } else { pending = bytes }
        answerPending(context)
        if pending.readableBytes == 0 {
            pending = ByteBuffer()
        } else if !isOwn {
            pending = context.channel.allocator.buffer(buffer: pending)
        }
        countBytes(context)
    }

    package func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { readHeld = true }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            answerPending(context)
            countBytes(context)
            if readHeld, context.channel.isWritable {
                readHeld = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            isHandshaking = false
            connections.noteHandshake(ticket)
        } else if event is Drain {
            finish(context, lingering: true)
        } else if let event = event as? ChannelEvent, event == .inputClosed {
            if case .closed = phase { context.close(promise: nil) } else { finish(context, lingering: false) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The stream ended without TLS's close_notify: that ends the queries, not the replies. `inputClosed` follows.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        // A reset, a broken pipe, or bytes that are not TLS: the client is gone. This is not worth a log line.
        context.close(promise: nil)
    }
}

// MARK: - Messages

extension TCPConnectionHandler {
    /// Answers the complete messages in `pending`, as long as the client accepts the replies.
    private func answerPending(_ context: ChannelHandlerContext) {
        // A flush may report writability from inside this loop. The loop then goes on by itself.
        guard !isAnswering else { return }
        isAnswering = true
        defer { isAnswering = false }
        var outgoing = context.channel.allocator.buffer(capacity: 0)
        var reply: [UInt8] = []
        var isProgress = false
        while context.channel.isWritable, let length = pendingMessageLength() {
            guard queriesLeft > 0 else {
                pending.clear()
                send(outgoing, context)
                return finish(context, lingering: true)
            }
            queriesLeft -= 1
            guard length > 0 else {
                // There is no reply. The connection goes on for the messages behind it, but the message counts, and is
                // no progress.
                pending.moveReaderIndex(forwardBy: 2)
                continue
            }
            isProgress = true
            answerMessage(of: length, &reply, into: &outgoing, context)
            if outgoing.readableBytes >= Self.flushBytes {
                send(outgoing, context)
                outgoing = context.channel.allocator.buffer(capacity: Self.flushBytes)
            }
        }
        pending.discardReadBytes()
        if isProgress { connections.noteProgress(ticket) }
        send(outgoing, context)
        if queriesLeft == 0 {
            pending.clear()
            finish(context, lingering: true)
        }
        closeWhenFinished(context)
    }

    /// The length of the next message, if the message is complete.
    private func pendingMessageLength() -> Int? {
        guard let length = pending.getInteger(at: pending.readerIndex, as: UInt16.self),
            pending.readableBytes >= 2 + Int(length)
        else { return nil }
        return Int(length)
    }

    private func answerMessage(
        of length: Int, _ reply: inout [UInt8], into outgoing: inout ByteBuffer, _ context: ChannelHandlerContext
    ) {
        lastProgress = context.eventLoop.now
        pending.moveReaderIndex(forwardBy: 2)
        reply.removeAll(keepingCapacity: true)
        let start = MonotonicClock.nanoseconds
        pending.withUnsafeReadableBytes { bytes in
            answering.answer(.init(rebasing: bytes.prefix(length)), from: client, over: transport, into: &reply)
        }
        connections.latency.record(nanoseconds: MonotonicClock.nanoseconds - start)
        pending.moveReaderIndex(forwardBy: length)
        guard !reply.isEmpty, let count = UInt16(exactly: reply.count) else { return }
        outgoing.writeInteger(count)
        outgoing.writeBytes(reply)
    }

    private func send(_ replies: ByteBuffer, _ context: ChannelHandlerContext) {
        guard replies.readableBytes > 0 else { return }
        let bytes = replies.readableBytes
        unsent = (unsent.writes + 1, unsent.bytes + bytes)
        context.writeAndFlush(wrapOutboundOut(replies)).assumeIsolated().whenComplete { [self] _ in
            unsent = (unsent.writes - 1, unsent.bytes - bytes)
            lastProgress = context.eventLoop.now
            if !isAnswering { countBytes(context) }
            closeWhenFinished(context)
        }
    }

    /// Counts the bytes the connection holds, and closes it if they exceed what is left for all.
    private func countBytes(_ context: ChannelHandlerContext) {
        if case .closed = phase { return }
        let bytes = max(0, pending.capacity + unsent.bytes - StreamLimits.allowedBytes)
        guard bytes != held else { return }
        if connections.hold(bytes - held) {
            held = bytes
            return
        }
        // Released at once: the channel ends only after other connections were read, and those would be refused too.
        phase = .closed
        pending = ByteBuffer()
        release()
        connections.noteClosing(.memory)
        ConnectionDoor.shut(context.channel)
    }

    private func release() {
        _ = connections.hold(-held)
        held = 0
    }
}

// MARK: - The end

extension TCPConnectionHandler {
    private func finish(_ context: ChannelHandlerContext, lingering: Bool) {
        guard case .open = phase else { return }
        phase = .finishing(lingering: lingering)
        closeWhenFinished(context)
    }

    /// Closes a finishing connection once every complete message is answered and all replies have left.
    private func closeWhenFinished(_ context: ChannelHandlerContext) {
        guard case .finishing(let lingering) = phase, unsent.writes == 0, pendingMessageLength() == nil else { return }
        phase = .closed
        guard lingering else { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        scheduleClose(context, in: Self.linger)
    }

    /// One deadline covers every idle client: a silent one, one that sends a query byte by byte, and one that does not
    /// read its replies.
    private func scheduleIdleCheck(_ context: ChannelHandlerContext) {
        let patience = isHandshaking ? connections.handshakePatience : connections.patience
        let left = lastProgress + patience - context.eventLoop.now
        guard left > .nanoseconds(0) else {
            connections.noteClosing(.idle)
            return ConnectionDoor.shut(context.channel)
        }
        idleTimer = context.eventLoop.assumeIsolated().scheduleTask(in: left) { [self] in
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
