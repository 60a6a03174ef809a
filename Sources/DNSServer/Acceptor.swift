import CLinux
import Glibc
package import IPNetworks
import LinuxSupport
package import NIOCore
package import NIOPosix
import ServiceLifecycle

/// Accepts the connections of several listeners, with one thread each, and creates a channel for each connection that
/// gets a place.
///
///     queue of the kernel ──► place? ── no ──► reset
///                               └─ yes ─► channel on an event loop of `group` ──► `setUp`
///
/// A connection that gets no place costs two system calls. Connections waiting in the queue delay legitimate clients,
/// so the server must refuse a flood faster than it arrives. No event loop takes part in that.
package final class Acceptor: Sendable {
    /// Adds the handlers of a connection, on its event loop.
    package typealias SetUp = @Sendable (any Channel, SocketEndpoint, OpenConnections.Ticket) throws -> Void

    /// Settings that are the same for every connection.
    package struct Options: Sendable {
        /// Kernel buffer for one connection's unread input, and for its unacknowledged output (the kernel doubles
        /// both).
        package let socketBytes: (receive: Int, send: Int)
        /// The size of one read.
        package let readBytes: Int
        /// High and low watermarks of the output in bytes: the channel stops being writable at the one and resumes at
        /// the other.
        package let writeBytes: (low: Int, high: Int)

        /// A client that closes its sending side still receives its answers.
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

    /// TCP handshakes in progress when the server ends still reach its queue, and are accepted.
    private static let handshake = TimeAmount.milliseconds(100)

    private let sockets: [ListenSocket]
    private let connections: OpenConnections
    private let group: MultiThreadedEventLoopGroup
    private let options: Options
    private let setUp: SetUp

    /// - Parameter sockets: listening sockets, closed when ``run()`` ends.
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

    /// Accepts until graceful shutdown or cancellation. Call it once.
    ///
    /// - Throws: a `SystemError` when the system cannot create a thread.
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
        // The descriptor outlives this loop: only this thread closes a socket that is being served.
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
                // This does not improve at once, and the connection stays in the queue.
                usleep(10_000)
            }
        }
    }

    private func set(_ option: CInt, _ bytes: Int, of listener: CInt) {
        var value = CInt(bytes)
        // Accepted connections inherit it. Without it they would get the kernel's default.
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
            // Without a channel no handler reports the end.
            .whenFailure { [connections] _ in connections.leave(ticket) }
    }
}

/// Makes the bootstrap close a connection that gave way before it had a channel.
private struct LostPlace: Error {}
