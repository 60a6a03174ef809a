import CLinux
public import IPNetworks
import NIOCore
import NIOPosix
import NIOSSL
public import ServiceLifecycle
public import Telemetry

/// Serves DNS over TCP (RFC 7766), and over TLS (RFC 7858) if it has a certificate. Each message follows a length of
/// two bytes. A connection may carry many queries; replies keep their order.
public final class TCPServer: Service {
    /// Connections now and since the start.
    public struct Counters: Sendable, Equatable {
        public var open: Int
        public var accepted: UInt64
        /// Connections closed by the server, by cause. Each of `client`, `network`, `handshakes`, `rate`, `idle`,
        /// `memory` and `shutdown` is present.
        public var closed: [String: UInt64]
        /// Bytes in use of ``StreamLimits/bufferedBytes``.
        public var buffered: Int

        /// Connections closed because of a limit: all causes but `idle`.
        public var refused: UInt64 { closed.reduce(0) { $0 + ($1.key == "idle" ? 0 : $1.value) } }
    }

    /// The served addresses in the given order, with their actual ports.
    public let endpoints: [SocketEndpoint]
    private let sockets: [ListenSocket]
    private let answering: any PacketAnswering
    private let certificate: TLSCertificate?
    private let connections: TCPConnections

    /// Binds every address and listens. From then on connections queue.
    ///
    /// - Parameters:
    ///   - endpoints: at least one. Port 0 lets the kernel choose.
    ///   - answering: makes the replies; called on the event loops.
    ///   - certificate: the certificate for TLS. If given, every connection uses TLS.
    ///   - handover: true when a predecessor still holds the addresses and will end soon.
    /// - Throws: the first address that cannot be served. None is bound then.
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

    /// Keeps all connections from a successor that has bound the addresses but may not accept yet, or shares them with
    /// it again. A server that retires shares them by itself.
    public func keepAddresses(_ keeps: Bool) {
        for socket in sockets { socket.keepAddress(keeps) }
    }

    public var counters: Counters { connections.counters }

    /// From the receipt of a complete query to its reply, without the time in the kernel's queues.
    public var latencies: [LatencyHistogram] { [connections.latency] }

    private static let drainLimit = TimeAmount.seconds(2)

    /// Serves until graceful shutdown or cancellation. Call it once.
    ///
    /// At the end it accepts no further connection, answers the complete queries and closes the connections.
    /// Connections still open after 2 seconds are reset.
    public func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let result: Result<Void, any Error>
        do { result = .success(try await serve(on: group)) } catch { result = .failure(error) }
        try await group.shutdownGracefully()
        try result.get()
    }

    /// Each transport has its own threads, so that the clients of one take no time from another. Handshakes leave half
    /// of the processors to other work.
    private var threads: Int { certificate == nil ? System.coreCount : max(1, System.coreCount / 2) }

    private func serve(on group: MultiThreadedEventLoopGroup) async throws {
        let options = Acceptor.Options(
            socketBytes: StreamLimits.socketBytes, readBytes: StreamLimits.readBytes,
            writeBytes: StreamLimits.writeBytes, halfClosure: true)
        let acceptor = Acceptor(sockets, connections.open, on: group, options) {
            [answering, connections, certificate] channel, client, ticket in
            let pipeline = channel.pipeline.syncOperations
            // The current context: a connection keeps the certificate it began with.
            if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
            try pipeline.addHandler(
                TCPConnectionHandler(
                    answering: answering, client: client, transport: certificate == nil ? .tcp : .tls,
                    connections: connections, ticket: ticket))
        }
        try await acceptor.run()
        let draining = connections.drain()
        // Otherwise a client that reads its replies slowly would keep the process from ending.
        group.any().scheduleTask(in: Self.drainLimit) { draining.forEach(ConnectionDoor.shut) }
        for connection in draining { try await connection.closeFuture.get() }
    }
}
