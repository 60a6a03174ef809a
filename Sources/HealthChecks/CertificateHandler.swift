import Glibc
import Health
import NIOCore
import NIOSSL
import NIOTLS

/// Does the handshake and checks how long the certificate remains valid.
final class CertificateHandler: ProbeHandler {
    typealias InboundIn = ByteBuffer

    let probe: ChannelProbe
    private let wanted: CertificateProbe

    init(_ wanted: CertificateProbe, _ probe: ChannelProbe) {
        self.wanted = wanted
        self.probe = probe
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        guard let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self),
            let certificate = handler.peerCertificate
        else { return probe.finish(.failed("there is no certificate")) }
        let expiry = Int64(certificate.notValidAfter)
        let seconds = expiry - Int64(time(nil))
        let days = seconds / 86_400
        var outcome =
            if seconds < 0 {
                ProbeOutcome.failed("the certificate has expired")
            } else if days < wanted.days {
                ProbeOutcome.failed("the certificate expires in \(days) days")
            } else {
                ProbeOutcome.passed("valid for \(days) days")
            }
        outcome.certificateExpiry = expiry
        probe.finish(outcome)
    }
}
