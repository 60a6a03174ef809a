public import DNSServer
public import IPNetworks
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import ServiceLifecycle
import Synchronization
public import Telemetry

/// The listener for metrics: HTTP/1.1 (RFC 9112), over TLS if it has a certificate. It answers GET and HEAD of
/// `/metrics` and `/healthz`, and nothing else: no route of the control socket can be reached here.
///
/// It has a thread of its own and the limits of the listener for reports: a connection gets or loses its place by its
/// network before there is a channel, it sends at most 8 KiB for a request, and it takes its answer in ten seconds.
public final class MetricsServer: Service {
    public typealias Limits = ReportServer.Limits

    /// A scraper keeps its connection between two scrapes.
    public static let standardLimits = Limits(
        connections: 64, connectionsPerClient: 16, requestMilliseconds: 10_000, idleMilliseconds: 120_000)

    /// Bytes of one request. It has no body.
    static let requestBytes = 8_192

    /// The addresses served, in the order given, with the ports in use.
    public let endpoints: [SocketEndpoint]
    private let sockets: [ListenSocket]
    private let responder: MetricsResponder
    private let certificate: TLSCertificate?
    private let connections: HTTPConnections
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Binds every address and listens; connections queue from then on.
    ///
    /// - Parameters:
    ///   - endpoints: at least one; port 0 lets the kernel choose.
    ///   - certificate: `nil`: no TLS.
    ///   - extra: metrics that the handler does not know.
    ///   - handover: another process holds the addresses and will end soon, and this one takes over.
    /// - Throws: for the first address that cannot be served; then none is bound.
    public init(
        endpoints: [SocketEndpoint], certificate: TLSCertificate?, handler: any MetricsHandling,
        extra: @escaping @Sendable () -> [MetricSample] = { [] }, limits: Limits = standardLimits,
        handover: Bool = false
    ) throws(ListenError) {
        precondition(!endpoints.isEmpty, "a server needs an address")
        sockets = try ListenSocket.open(
            certificate == nil ? .tcp : .tls, at: endpoints, count: 1, handover: handover)
        self.endpoints = sockets.map(\.endpoint)
        self.certificate = certificate
        responder = MetricsResponder(handler, extra: extra)
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
            [responder, connections, certificate] channel, _, ticket in
            let pipeline = channel.pipeline.syncOperations
            // The current context: a connection keeps the certificate that it began with.
            if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
            let input = InputLimit(Self.requestBytes, onExcess: connections.noteFlood)
            try pipeline.addHandler(input)
            try pipeline.configureHTTPServerPipeline(
                withErrorHandling: true, withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: Self.headLimits)
            try pipeline.addHandler(
                MetricsConnection(responder, connections, ticket, input, isEncrypted: certificate != nil))
        }.run()
        connections.closeAll()
        try await group.shutdownGracefully()
    }

    /// A longer head, or one with more fields, is answered with 400.
    private static var headLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = requestBytes
        limits.maxHeaderListSize = requestBytes
        limits.maxHeaderFieldCount = 64
        return limits
    }

    public var metrics: [MetricSample] {
        let scrapes = responder.counts.map { result, count in
            MetricSample(
                "nearcast_scrapes_total", .counter, help: "Requests to the listener for metrics, by result.",
                labels: ["result": result], value: Double(count))
        }
        let closed = connections.closed.map { cause, count in
            MetricSample(
                "nearcast_metrics_connections_closed_total", .counter,
                help: "Connections of the listener for metrics that the server closed, by cause.",
                labels: ["cause": cause], value: Double(count))
        }
        let open = MetricSample(
            "nearcast_metrics_connections", .gauge, help: "Open connections of the listener for metrics.",
            value: Double(connections.count))
        return [open] + closed + scrapes
    }
}
