import Health
import IPNetworks
import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections for probes.
struct StreamOpening {
    let attempt: Attempt
    let check: Check
    /// With the name that is asked for, and whether it is verified; `nil`: without TLS.
    var tls: (context: NIOSSLContext, host: String?, verifies: Bool)?

    /// Connects, and adds the handlers that `make` makes behind TLS.
    func connect(to port: UInt16, _ make: @escaping @Sendable (any Channel) throws -> Void) {
        do {
            let (tls, attempt) = (tls, attempt)
            var bootstrap = ClientBootstrap(group: attempt.loop)
                // The attempt has a limit of its own, for all of the probe.
                .connectTimeout(.hours(1))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        attempt.take(channel)
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(context: tls.context, serverHostname: tls.host))
                            if tls.verifies, let host = tls.host {
                                try channel.pipeline.syncOperations.addHandler(HostVerification(host, attempt))
                            }
                        }
                        try channel.pipeline.syncOperations.addHandler(ByteLimit(attempt))
                        try make(channel)
                    }
                }
            if let source = check.source { bootstrap = bootstrap.bind(to: try SocketAddress(source)) }
            attempt.follow(bootstrap.connect(to: try SocketAddress(check.target, port: port)))
        } catch { attempt.fail(error) }
    }
}

/// What handlers of a connection have in common: an end before the outcome is a failure.
protocol ProbeHandler: ChannelInboundHandler {
    var attempt: Attempt { get }
}

extension ProbeHandler {
    func channelInactive(context: ChannelHandlerContext) { attempt.finish(.failed("the connection was closed")) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }

    /// What went wrong is the outcome, of TLS with what the server's certificate says of it.
    func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        if let evidence = TLSFailure.evidence(error, tls?.peerCertificate) {
            attempt.finish(.failed(evidence))
        } else {
            attempt.fail(error)
        }
    }
}
