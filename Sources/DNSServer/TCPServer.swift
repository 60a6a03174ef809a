import CLinux
import Glibc
public import IPNetworks
import NIOCore
import NIOPosix
import NIOSSL
public import ServiceLifecycle
import Synchronization

/// Serves DNS over TCP (RFC 7766), and over TLS (RFC 7858) when it has a certificate: two bytes of length before each
/// message, many queries on a connection, replies in order.
public final class TCPServer: Service {
    /// Connections now and since the start.
    public struct Counters: Sendable, Equatable {
        public var open: Int
        public var accepted: UInt64
        /// Closed by the server, by cause: each of `client`, `network`, `handshakes`, `handshake_rate`, `idle`, `memory`
        /// and `shutdown` is there.
        public var closed: [String: UInt64]
        /// Bytes held of ``StreamLimits/bufferedBytes``.
        public var buffered: Int

        /// Closed because of a limit: all but those that were silent for too long.
        public var refused: UInt64 { closed.reduce(0) { $0 + ($1.key == "idle" ? 0 : $1.value) } }
    }

    /// The addresses served, in the order given, with the ports in use.
    public let endpoints: [SocketEndpoint]
    private let sockets: [ListenSocket]
    private let answering: any PacketAnswering
    private let certificate: TLSCertificate?
    private let connections: TCPConnections

    /// Binds every address and listens; connections queue from then on.
    ///
    /// - Parameters:
    ///   - endpoints: at least one; port 0 lets the kernel choose.
    ///   - answering: makes the replies, called on the event loops.
    ///   - certificate: what clients are shown: every connection speaks TLS then.
    ///   - handover: a process that will end soon holds the addresses, and this one takes over.
    /// - Throws: the first address that cannot be served; none is bound then.
    public init(
        endpoints: [SocketEndpoint], answering: any PacketAnswering, limits: StreamLimits = StreamLimits(),
        certificate: TLSCertificate? = nil, handover: Bool = false
    ) throws(ListenError) {
        precondition(!endpoints.isEmpty, "a server needs an address")
        sockets = try ListenSocket.open(
            certificate == nil ? .tcp : .tls, at: endpoints, count: 1, handover: handover)
        self.endpoints = sockets.map(\.endpoint)
        self.answering = answering
        self.certificate = certificate
        connections = TCPConnections(limits, isEncrypted: certificate != nil)
    }

    public var counters: Counters { connections.counters }

    /// Serves until graceful shutdown or cancellation; call it once.
    ///
    /// At the end no connection is accepted any more, complete queries are answered and connections closed, within a second.
    public func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let result: Result<Void, any Error>
        do { result = .success(try await serve(on: group)) } catch { result = .failure(error) }
        try await group.shutdownGracefully()
        try result.get()
    }

    /// Threads of its own: what one transport's clients make them do takes no time of another's. Handshakes leave half of
    /// the processors to the rest.
    private var threads: Int { certificate == nil ? System.coreCount : max(1, System.coreCount / 2) }

    private func serve(on group: MultiThreadedEventLoopGroup) async throws {
        var listeners: [any Channel] = []
        var retiring: [RetiringSocket] = []
        for socket in sockets {
            guard let descriptor = socket.take() else { continue }
            retiring.append(RetiringSocket(of: descriptor))
            listeners.append(try await bootstrap(group).withBoundSocket(descriptor).get())
        }
        let (opened, leaving) = (listeners, retiring)
        try await withTaskCancellationOrGracefulShutdownHandler {
            for listener in opened { try await listener.closeFuture.get() }
            for connection in connections.drain() { try await connection.closeFuture.get() }
        } onCancelOrGracefulShutdown: {
            for socket in leaving { socket.retire() }
            // Handshakes that are under way end in this listener's queue, and are still accepted.
            for listener in opened {
                listener.eventLoop.scheduleTask(in: Self.handshake) { listener.close(promise: nil) }
            }
        }
    }

    private static let handshake = TimeAmount.milliseconds(100)

    private func bootstrap(_ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
        ServerBootstrap(group: group)
            // What waits to be accepted keeps honest clients waiting: take much of it at once.
            .serverChannelOption(.maxMessagesPerRead, value: 64)
            .serverChannelOption(.socketOption(.so_rcvbuf), value: StreamLimits.socketBytes.receive)
            .serverChannelOption(.socketOption(.so_sndbuf), value: StreamLimits.socketBytes.send)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: StreamLimits.readBytes)
            )
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(low: StreamLimits.writeBytes.low, high: StreamLimits.writeBytes.high)
            )
            .childChannelInitializer { [answering, connections, certificate] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let client = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }),
                        let ticket = connections.admit(channel, from: client)
                    else { throw ConnectionRefused() }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(ConnectionDoor())
                    // The context of this moment: a connection keeps the certificate it began with.
                    if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
                    try pipeline.addHandler(
                        TCPConnectionHandler(
                            answering: answering, client: client, transport: certificate == nil ? .tcp : .tls,
                            connections: connections, ticket: ticket))
                }
            }
    }
}

/// A second descriptor of a listener, for the option that its channel has no name for.
private final class RetiringSocket: Sendable {
    private let descriptor: Mutex<CInt?>

    init(of listener: CInt) {
        let copy = fcntl(listener, F_DUPFD_CLOEXEC, 3)
        descriptor = Mutex(copy >= 0 ? copy : nil)
    }

    deinit { close() }

    /// Leaves new connections to a successor. The listener closes only when this copy has, too.
    func retire() {
        descriptor.withLock { _ = $0.map(nl_tcp_retire) }
        close()
    }

    private func close() {
        descriptor.withLock { held in
            if let held { Glibc.close(held) }
            held = nil
        }
    }
}

/// Makes the bootstrap close a connection beyond the limits.
private struct ConnectionRefused: Error {}
