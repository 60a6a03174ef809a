import Health
import IPNetworks
import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections for probes.
struct StreamOpening {
    let probe: ChannelProbe
    let target: IPAddress
    /// The server name to request, and whether it is verified. `nil`: without TLS.
    var tls: (context: NIOSSLContext, host: String?, verifies: Bool)?

    /// Connects, then adds the handlers that `make` creates, after TLS.
    func connect(to port: UInt16, _ make: @escaping @Sendable (any Channel) throws -> Void) {
        do {
            let (tls, probe) = (tls, probe)
            var bootstrap = ClientBootstrap(group: probe.loop)
                // The scheduler has a timeout for the whole probe.
                .connectTimeout(.hours(1))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        probe.take(channel)
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(context: tls.context, serverHostname: tls.host))
                            if tls.verifies, let host = tls.host {
                                try channel.pipeline.syncOperations.addHandler(HostVerification(host, probe))
                            }
                        }
                        try channel.pipeline.syncOperations.addHandler(ByteLimit(probe))
                        try make(channel)
                    }
                }
            if let source = probe.check.source { bootstrap = bootstrap.bind(to: try SocketAddress(source)) }
            probe.follow(bootstrap.connect(to: try SocketAddress(target, port: port)))
        } catch { probe.fail(error) }
    }
}

/// Shared by the handlers of a connection: an end before the outcome is a failure.
protocol ProbeHandler: ChannelInboundHandler {
    var probe: ChannelProbe { get }
}

extension ProbeHandler {
    func channelInactive(context: ChannelHandlerContext) { probe.finish(.failed("the connection was closed")) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }

    /// Turns the error into the outcome. A TLS error is described with the server's certificate.
    func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        if let evidence = TLSFailure.evidence(error, tls?.peerCertificate) {
            probe.finish(.failed(evidence))
        } else {
            probe.fail(error)
        }
    }
}
