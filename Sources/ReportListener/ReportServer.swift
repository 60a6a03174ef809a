public import ControlAPI
public import DNSServer
public import IPNetworks
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import ServiceLifecycle
import Synchronization

/// Hears reports over the network: HTTP/1.1 (RFC 9112) with bearer tokens (RFC 6750), over TLS when it has a certificate.
///
/// One thread of its own: whoever floods it takes nothing from queries and probes. A request has ten seconds from its first
/// byte to its last, a connection a minute between requests.
public final class ReportServer: Service {
    /// What strangers may take.
    public struct Limits: Sendable {
        /// Open connections over all clients.
        public var connections: Int
        /// Open connections of one address, or of one IPv6 /64.
        public var connectionsPerClient: Int
        /// For the handshake and one request, from its first byte to its last.
        public var requestMilliseconds: Int64
        /// Between requests.
        public var idleMilliseconds: Int64

        /// Of a request's head: bytes of one field, bytes of all, and fields. A report needs some 300 bytes of five fields.
        static let fieldBytes = 4_096
        static let headBytes = 8_192
        static let headFields = 32
        /// Bytes that are read at once.
        static let readBytes = 4_096

        /// Bytes that a connection may hold before its token is known: a head twice, read and in fields, and one read. The
        /// buffers of a TLS handshake come to that.
        public static let bytesBeforeToken = 2 * headBytes + readBytes

        public init(
            connections: Int = 1_024, connectionsPerClient: Int = 64, requestMilliseconds: Int64 = 10_000,
            idleMilliseconds: Int64 = 60_000
        ) {
            self.connections = connections
            self.connectionsPerClient = connectionsPerClient
            self.requestMilliseconds = requestMilliseconds
            self.idleMilliseconds = idleMilliseconds
        }
    }

    /// The addresses served, in the order given, with the ports in use.
    public let endpoints: [SocketEndpoint]
    private let sockets: [ListenSocket]
    private let desk: ReportDesk
    private let certificate: TLSCertificate?
    private let connections: ReportConnections
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Binds every address and listens; connections queue from then on.
    ///
    /// - Parameters:
    ///   - endpoints: at least one; port 0 lets the kernel choose.
    ///   - certificate: `nil`: without TLS, and tokens can be read on the way.
    ///   - handover: a process that will end soon holds the addresses, and this one takes over.
    /// - Throws: the first address that cannot be served; none is bound then.
    public init(
        endpoints: [SocketEndpoint], certificate: TLSCertificate?, tokens: TokenFile, handler: any ReportHandling,
        limits: Limits = Limits(), handover: Bool = false
    ) throws(ListenError) {
        precondition(!endpoints.isEmpty, "a server needs an address")
        sockets = try ListenSocket.open(
            certificate == nil ? .tcp : .tls, at: endpoints, count: 1, handover: handover)
        self.endpoints = sockets.map(\.endpoint)
        self.certificate = certificate
        desk = ReportDesk(tokens: tokens, handler: handler)
        connections = ReportConnections(
            limits,
            handshakes: certificate.map { _ in
                HandshakeBudget(perSecond: 20, atOnce: Double(limits.connectionsPerClient))
            })
    }

    /// Serves until graceful shutdown or cancellation; call it once.
    public func run() async throws {
        var opened: [any Channel] = []
        for socket in sockets {
            guard let descriptor = socket.take() else { continue }
            opened.append(try await bootstrap().withBoundSocket(descriptor).get())
        }
        let listeners = opened
        try await withTaskCancellationOrGracefulShutdownHandler {
            for listener in listeners { try await listener.closeFuture.get() }
        } onCancelOrGracefulShutdown: {
            for listener in listeners { listener.close(promise: nil) }
        }
        connections.closeAll()
        try await group.shutdownGracefully()
    }

    private static let headLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = Limits.fieldBytes
        limits.maxHeaderListSize = Limits.headBytes
        limits.maxHeaderFieldCount = Limits.headFields
        return limits
    }()

    private func bootstrap() -> ServerBootstrap {
        ServerBootstrap(group: group)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            // What a connection holds before anybody knows whose it is: a head of a few KiB, and one read.
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Limits.readBytes))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { [desk, connections, certificate] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let client = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }),
                        let place = connections.admit(channel, from: client)
                    else { throw ConnectionRefused() }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(EvictionHandler())
                    // The context of this moment: a connection keeps the certificate it began with.
                    if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
                    try pipeline.configureHTTPServerPipeline(
                        withErrorHandling: true, withEncoderConfiguration: .init(),
                        withDecoderLimitConfiguration: Self.headLimits)
                    try pipeline.addHandler(ReportConnection(desk, connections, place))
                }
            }
    }

    private static let closedHelp =
        "Connections closed at once (refused), to make room for others (evicted), or for lack of progress (slow)."

    public var metrics: [MetricSample] {
        let state = connections.counters
        let requests = desk.counters.map { result, count in
            MetricSample(
                "nearcast_reports_total", .counter, help: "Reports over the network, by what came of them.",
                labels: ["result": result], value: Double(count))
        }
        return [
            MetricSample(
                "nearcast_report_connections", .gauge, help: "Open connections of those who report.",
                value: Double(state.open)),
            MetricSample(
                "nearcast_report_connections_closed_total", .counter,
                help: Self.closedHelp,
                labels: ["cause": "refused"], value: Double(state.refused)),
            MetricSample(
                "nearcast_report_connections_closed_total", .counter, help: Self.closedHelp,
                labels: ["cause": "evicted"], value: Double(state.evicted)),
            MetricSample(
                "nearcast_report_connections_closed_total", .counter,
                help: Self.closedHelp,
                labels: ["cause": "slow"], value: Double(state.slow)),
        ] + requests
    }
}

/// Makes the bootstrap close a connection beyond the limits.
private struct ConnectionRefused: Error {}
