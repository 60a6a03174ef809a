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
        /// Closed at once: its network began too many handshakes, or the listener was ending.
        public var refused: UInt64
        /// Closed to make room for another.
        public var evicted: UInt64
    }

    /// The addresses served, in the order given, with the ports in use.
    public let endpoints: [SocketEndpoint]
    private let sockets: [ListenSocket]
    private let answering: any PacketAnswering
    private let certificate: TLSCertificate?
    private let connections: TCPConnections
    /// The listeners' sockets while they are served.
    private let listening = Mutex<[RetiringSocket]>([])

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
        connections = TCPConnections(
            limits,
            handshakes: certificate.map { _ in
                HandshakeBudget(
                    perSecond: StreamLimits.handshakesPerSecond, atOnce: StreamLimits.handshakesAtOnce)
            })
    }

    public var counters: Counters { connections.counters }

    /// Serves until graceful shutdown or cancellation; call it once.
    ///
    /// At the end no connection is accepted any more, complete queries are answered and connections closed, within a second.
    public func run() async throws {
        // Threads of its own: a flood of handshakes takes none of those of plain TCP, and neither takes those of others.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: UDPServer.usableCores)
        let result: Result<Void, any Error>
        do { result = .success(try await serve(on: group)) } catch { result = .failure(error) }
        try await group.shutdownGracefully()
        try result.get()
    }

    private func serve(on group: MultiThreadedEventLoopGroup) async throws {
        var listeners: [any Channel] = []
        var retiring: [RetiringSocket] = []
        for socket in sockets {
            guard let descriptor = socket.take() else { continue }
            retiring.append(RetiringSocket(of: descriptor))
            listeners.append(try await bootstrap(group).withBoundSocket(descriptor).get())
        }
        let (opened, leaving) = (listeners, retiring)
        listening.withLock { $0 = leaving }
        defer { listening.withLock { $0 = [] } }
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

    /// Keeps all connections from a successor that has bound the addresses and may not accept yet, or shares them with it
    /// again. By itself a retiring server shares them.
    public func keepAddresses(_ keeps: Bool) {
        for socket in listening.withLock({ $0 }) { socket.keepAddress(keeps) }
    }

    private static let handshake = TimeAmount.milliseconds(100)

    private func bootstrap(_ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [answering, connections, certificate] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let remote = channel.remoteAddress, let address = remote.ipAddress.flatMap({ IPAddress($0) }),
                        let place = connections.admit(channel, from: address)
                    else { throw ConnectionRefused() }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(EvictionHandler())
                    // The context of this moment: a connection keeps the certificate it began with.
                    if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
                    try pipeline.addHandler(
                        TCPConnectionHandler(
                            answering: answering,
                            client: SocketEndpoint(address: address, port: UInt16(clamping: remote.port ?? 0)),
                            transport: certificate == nil ? .tcp : .tls,
                            connections: connections, place: place))
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

    func keepAddress(_ keeps: Bool) {
        descriptor.withLock { held in
            guard let held else { return }
            if keeps { nl_keep_address(held, 1) } else { nl_share_address(held) }
        }
    }

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
