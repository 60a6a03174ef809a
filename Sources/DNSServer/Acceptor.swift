import CLinux
import Glibc
package import IPNetworks
import LinuxSupport
package import NIOCore
package import NIOPosix
import ServiceLifecycle

/// Accepts the connections of some listeners, a thread for each, and gives those that get a place a channel.
///
///     queue of the kernel ──► place? ── no ──► reset
///                               └─ yes ─► channel on an event loop of `group` ──► `setUp`
///
/// A connection that gets no place costs two system calls. What waits in the queue keeps honest clients waiting, so a flood
/// must be refused faster than it comes, and no event loop may be between.
package final class Acceptor: Sendable {
    /// Adds the handlers of a connection, on its event loop.
    package typealias SetUp = @Sendable (any Channel, SocketEndpoint, OpenConnections.Ticket) throws -> Void

    /// What is the same for every connection.
    package struct Options: Sendable {
        /// What the kernel keeps of unread input of one connection, and of output not acknowledged (it doubles both).
        package let socketBytes: (receive: Int, send: Int)
        /// The size of one read.
        package let readBytes: Int
        /// Bytes of output from which on the channel is not writable, and at which it is again.
        package let writeBytes: (low: Int, high: Int)

        /// The client may end its side and still gets what is answered.
        package let halfClosure: Bool

        package init(
            socketBytes: (receive: Int, send: Int), readBytes: Int, writeBytes: (low: Int, high: Int), halfClosure: Bool
        ) {
            self.halfClosure = halfClosure
            self.socketBytes = socketBytes
            self.readBytes = readBytes
            self.writeBytes = writeBytes
        }
    }

    /// Handshakes of TCP that are under way when the server ends arrive in its queue, and are still accepted.
    private static let handshake = TimeAmount.milliseconds(100)

    private let sockets: [ListenSocket]
    private let connections: OpenConnections
    private let group: MultiThreadedEventLoopGroup
    private let options: Options
    private let setUp: SetUp

    /// - Parameter sockets: listening; they are closed at the end of ``run()``.
    package init(
        _ sockets: [ListenSocket], _ connections: OpenConnections, on group: MultiThreadedEventLoopGroup,
        _ options: Options, setUp: @escaping SetUp
    ) {
        self.sockets = sockets
        self.connections = connections
        self.group = group
        self.options = options
        self.setUp = setUp
    }

    /// Accepts until graceful shutdown or cancellation; call it once.
    ///
    /// - Throws: a `SystemError` when the system has no thread to give.
    package func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { continuation in
                let running = Running(count: sockets.count, done: continuation)
                for socket in sockets { start(socket, running) }
            }
        } onCancelOrGracefulShutdown: {
            for socket in self.sockets { _ = socket.withDescriptor(nl_tcp_retire) }
            self.group.any().scheduleTask(in: Self.handshake) { self.shutDown() }
        }
    }

    private func start(_ socket: ListenSocket, _ running: Running) {
        do throws(SystemError) {
            try startThread(named: "accept \(socket.endpoint.port)") {
                self.accept(from: socket)
                running.arrive()
            }
        } catch {
            shutDown()
            socket.close()
            running.arrive(error)
        }
    }

    /// Ends the threads.
    private func shutDown() {
        for socket in sockets { _ = socket.withDescriptor { shutdown($0, CInt(SHUT_RDWR)) } }
    }

    private func accept(from socket: ListenSocket) {
        defer { socket.close() }
        // The descriptor outlives this loop: only this thread closes the socket once it serves.
        guard let listener = socket.withDescriptor({ $0 }) else { return }
        set(SO_RCVBUF, options.socketBytes.receive, of: listener)
        set(SO_SNDBUF, options.socketBytes.send, of: listener)
        var client = nl_endpoint()
        while true {
            let descriptor = nl_accept(listener, &client)
            if descriptor >= 0 {
                take(descriptor, from: client.endpoint)
            } else if descriptor == -EINVAL {
                return
            } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(-descriptor) {
                // It will not be better at once, and the connection stays in the queue.
                usleep(10_000)
            }
        }
    }

    private func set(_ option: CInt, _ bytes: Int, of listener: CInt) {
        var value = CInt(bytes)
        // Accepted connections inherit it. Without it they would have the kernel's default.
        _ = setsockopt(listener, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    private func take(_ descriptor: CInt, from client: SocketEndpoint) {
        guard let ticket = connections.admit(from: client.address) else { return nl_reset(descriptor) }
        while connections.isBehind { usleep(500) }
        ClientBootstrap(group: group)
            .channelOption(.allowRemoteHalfClosure, value: options.halfClosure)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: options.readBytes))
            .channelOption(
                .writeBufferWaterMark, value: .init(low: options.writeBytes.low, high: options.writeBytes.high)
            )
            .channelInitializer { [connections, setUp] channel in
                channel.closeFuture.whenComplete { _ in connections.leave(ticket) }
                return channel.eventLoop.makeCompletedFuture {
                    guard ticket.connection.attach(channel) else { throw LostPlace() }
                    try channel.pipeline.syncOperations.addHandler(ConnectionDoor())
                    try setUp(channel, client, ticket)
                }
            }
            .withConnectedSocket(descriptor)
            // Without a channel nothing else says so.
            .whenFailure { [connections] _ in connections.leave(ticket) }
    }
}

/// Makes the bootstrap close a connection that gave way before it had a channel.
private struct LostPlace: Error {}
