public import DNSServer
public import IPNetworks
public import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import ServiceLifecycle
import Synchronization
public import Telemetry

/// The listener for reports over the network: HTTP/1.1 (RFC 9112) with bearer tokens (RFC 6750), over TLS if it has a
/// certificate. It serves the routes that a token can have a right to, by the same router as the control socket.
///
/// Below the router the connections are its own and not Hummingbird's, whose server cannot keep these limits: a
/// connection has or loses a place before there is a channel, strangers send at most 16 KiB and are refused by the head
/// alone, and what each connection holds in the kernel and here is bounded.
///
/// It has a thread of its own: a flood of reports takes nothing from queries and probes. A request has ten seconds from
/// its first byte to its last, a connection a minute between requests. When all places are taken, the idlest connection
/// of the network with the most gives way.
public final class ReportServer: Service {
    /// What strangers can take.
    public struct Limits: Sendable {
        /// Open connections over all clients.
        public var connections: Int
        /// Open connections of one address, or of one IPv6 /64.
        public var connectionsPerClient: Int
        /// For the handshake and one request, from its first byte to its last.
        public var requestMilliseconds: Int64
        /// Between requests.
        public var idleMilliseconds: Int64
        /// For the TLS handshake.
        public var handshakeMilliseconds: Int64 = 3_000

        /// Bytes of a connection that are read before its token is known: then it is closed (431).
        public static let bytesBeforeToken = 16 * 1_024
        /// The size of one read.
        static let readBytes = 2_048
        /// What the kernel buffers of unread input and of unacknowledged output of one connection (it doubles both).
        static let socketBytes = (receive: 32 * 1_024, send: 64 * 1_024)
        /// Responses are buffered in the connection up to about this size.
        static let writeBytes = (low: 4 * 1_024, high: 16 * 1_024)

        /// The most bytes of the process that a connection holds until its token is known: channel and handlers
        /// (measured, rounded up), what was read, and what is parsed from it.
        public static let bytesPerConnection = 24 * 1_024 + readBytes + bytesBeforeToken
        /// The same over TLS: the session (measured, rounded up), and one incomplete record of 16 KiB each way.
        public static let bytesPerEncryptedConnection = bytesPerConnection + 48 * 1_024 + 2 * 17 * 1_024

        /// The most bytes of the process that all connections hold together until their tokens are known.
        public func bytes(encrypted: Bool) -> Int {
            connections * (encrypted ? Self.bytesPerEncryptedConnection : Self.bytesPerConnection)
        }

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
    private let gate: ReportGate
    private let certificate: TLSCertificate?
    private let connections: HTTPConnections
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Binds every address and listens; connections queue from then on.
    ///
    /// - Parameters:
    ///   - endpoints: at least one; port 0 lets the kernel choose.
    ///   - certificate: `nil`: no TLS, so that tokens can be read on the way.
    ///   - handover: another process holds the addresses and will end soon, and this one takes over.
    /// - Throws: for the first address that cannot be served; then none is bound.
    public init(
        endpoints: [SocketEndpoint], certificate: TLSCertificate?, tokens: TokenFile, handler: any ControlHandling,
        logger: Logger, limits: Limits = Limits(), handover: Bool = false
    ) throws(ListenError) {
        precondition(!endpoints.isEmpty, "a server needs an address")
        sockets = try ListenSocket.open(
            certificate == nil ? .tcp : .tls, at: endpoints, count: 1, handover: handover)
        self.endpoints = sockets.map(\.endpoint)
        self.certificate = certificate
        gate = ReportGate(tokens: tokens, handler: handler, logger: logger)
        connections = HTTPConnections(limits, isEncrypted: certificate != nil)
    }

    /// Keeps connections from a successor that has bound the addresses and may not accept yet, or shares them with it
    /// again.
    public func keepAddresses(_ keeps: Bool) {
        for socket in sockets { socket.keepAddress(keeps) }
    }

    /// Serves until graceful shutdown or cancellation; call it once.
    public func run() async throws {
        let options = Acceptor.Options(
            socketBytes: Limits.socketBytes, readBytes: Limits.readBytes, writeBytes: Limits.writeBytes,
            halfClosure: false)
        try await Acceptor(sockets, connections.open, on: group, options) {
            [gate, connections, certificate] channel, _, ticket in
            let pipeline = channel.pipeline.syncOperations
            // The current context: a connection keeps the certificate that it began with.
            if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
            let input = InputLimit(Limits.bytesBeforeToken, onExcess: connections.noteFlood)
            try pipeline.addHandler(input)
            try pipeline.configureHTTPServerPipeline(
                withErrorHandling: true, withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: Self.headLimits)
            try pipeline.addHandler(ReportConnection(gate, connections, ticket, input, isEncrypted: certificate != nil))
        }.run()
        connections.closeAll()
        try await group.shutdownGracefully()
    }

    /// A longer head, or one with more fields, is answered with 400.
    private static var headLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 * 1_024
        limits.maxHeaderListSize = Limits.bytesBeforeToken
        limits.maxHeaderFieldCount = 64
        return limits
    }

    public var metrics: [MetricSample] {
        let requests = gate.counts.map { result, count in
            MetricSample(
                "nearcast_reports_total", .counter, help: "Reports over the network, by result.",
                labels: ["result": result], value: Double(count))
        }
        let closed = connections.closed.map { cause, count in
            MetricSample(
                "nearcast_report_connections_closed_total", .counter,
                help: "Connections that the server closed, by cause.", labels: ["cause": cause], value: Double(count))
        }
        let open = MetricSample(
            "nearcast_report_connections", .gauge, help: "Open connections of the listener for reports.",
            value: Double(connections.count))
        return [open] + closed + requests
    }
}
