public import IPNetworks
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// Serves DNS over TCP (RFC 7766): two bytes of length before each message, many queries on a connection, replies in order.
public final class TCPServer: Service {
    public struct Limits: Sendable {
        /// Open connections over all clients.
        public var connections: Int
        /// Open connections of one client: an IPv4 address, or an IPv6 /64, of which a host has as many addresses as it wants.
        public var connectionsPerClient: Int
        /// Seconds without a complete query and without a reply taken, after which a connection is closed
        /// (RFC 7766, section 6.2.3).
        public var idleSeconds: Double

        public init(connections: Int = 1_024, connectionsPerClient: Int = 64, idleSeconds: Double = 10) {
            self.connections = connections
            self.connectionsPerClient = connectionsPerClient
            self.idleSeconds = idleSeconds
        }
    }

    /// The addresses served, in the order given, with the ports in use.
    public let endpoints: [SocketEndpoint]
    private let sockets: [ListenSocket]
    private let answering: any PacketAnswering
    private let limits: Limits
    private let connections: TCPConnections

    /// Binds every address and listens; connections queue from then on.
    ///
    /// - Parameters:
    ///   - endpoints: at least one; port 0 lets the kernel choose.
    ///   - answering: makes the replies, called on the event loops.
    ///   - handover: a process that will end soon holds the addresses, and this one takes over.
    /// - Throws: the first address that cannot be served; none is bound then.
    public init(
        endpoints: [SocketEndpoint], answering: any PacketAnswering, limits: Limits = Limits(), handover: Bool = false
    ) throws(ListenError) {
        precondition(!endpoints.isEmpty, "a server needs an address")
        sockets = try ListenSocket.open(.tcp, at: endpoints, count: 1, handover: handover)
        self.endpoints = sockets.map(\.endpoint)
        self.answering = answering
        self.limits = limits
        connections = TCPConnections(limits)
    }

    /// Connections open now.
    public var openConnections: Int { connections.count }

    /// Serves until graceful shutdown or cancellation; call it once.
    ///
    /// At the end no connection is accepted any more, complete queries are answered and connections closed, within a second.
    public func run() async throws {
        var listeners: [any Channel] = []
        for socket in sockets {
            guard let descriptor = socket.take() else { continue }
            listeners.append(try await bootstrap().withBoundSocket(descriptor).get())
        }
        let opened = listeners
        try await withTaskCancellationOrGracefulShutdownHandler {
            for listener in opened { try await listener.closeFuture.get() }
            for connection in connections.drain() { try await connection.closeFuture.get() }
        } onCancelOrGracefulShutdown: {
            for listener in opened { listener.close(promise: nil) }
        }
    }

    private func bootstrap() -> ServerBootstrap {
        let answering = answering
        let connections = connections
        let idle = TimeAmount.nanoseconds(Int64(limits.idleSeconds * 1e9))
        return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let client = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }),
                        connections.admit(channel, from: client)
                    else { throw ConnectionRefused() }
                    try channel.pipeline.syncOperations.addHandler(
                        TCPConnectionHandler(answering: answering, client: client, idle: idle))
                }
            }
    }
}

/// Makes the bootstrap close a connection beyond the limits.
private struct ConnectionRefused: Error {}
