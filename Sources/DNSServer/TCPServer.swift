import CLinux
public import IPNetworks
import NIOCore
import NIOPosix
import NIOSSL
public import ServiceLifecycle

/// Serves DNS over TCP (RFC 7766), and over TLS (RFC 7858) when it has a certificate: two bytes of length before each
/// message, many queries on a connection, replies in order.
public final class TCPServer: Service {
    /// Connections now and since the start.
    public struct Counters: Sendable, Equatable {
        public var open: Int
        public var accepted: UInt64
        /// Closed by the server, by cause: each of `client`, `network`, `handshakes`, `rate`, `idle`, `memory`
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

    /// Keeps all connections from a successor that has bound the addresses and may not accept yet, or shares them with it
    /// again. By itself a retiring server shares them.
    public func keepAddresses(_ keeps: Bool) {
        for socket in sockets { socket.keepAddress(keeps) }
    }

    public var counters: Counters { connections.counters }

    private static let drainLimit = TimeAmount.seconds(2)

    /// Serves until graceful shutdown or cancellation; call it once.
    ///
    /// At the end no connection is accepted any more, complete queries are answered and connections closed; what is open
    /// after 2 seconds is reset.
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
        let options = Acceptor.Options(
            socketBytes: StreamLimits.socketBytes, readBytes: StreamLimits.readBytes,
            writeBytes: StreamLimits.writeBytes, halfClosure: true)
        let acceptor = Acceptor(sockets, connections.open, on: group, options) {
            [answering, connections, certificate] channel, client, ticket in
            let pipeline = channel.pipeline.syncOperations
            // The context of this moment: a connection keeps the certificate it began with.
            if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
            try pipeline.addHandler(
                TCPConnectionHandler(
                    answering: answering, client: client, transport: certificate == nil ? .tcp : .tls,
                    connections: connections, ticket: ticket))
        }
        try await acceptor.run()
        let draining = connections.drain()
        // A client that takes its replies slowly would keep the process from ending.
        group.any().scheduleTask(in: Self.drainLimit) { draining.forEach(ConnectionDoor.shut) }
        for connection in draining { try await connection.closeFuture.get() }
    }
}
