import Glibc
import Health
import NIOCore
import NIOSSL
import NIOTLS

/// Shakes hands, and looks how long the certificate is still good for.
final class CertificateProbing: ProbeHandler {
    typealias InboundIn = ByteBuffer

    let attempt: Attempt
    private let probe: CertificateProbe

    init(_ probe: CertificateProbe, _ attempt: Attempt) {
        self.probe = probe
        self.attempt = attempt
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        guard let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self),
            let certificate = handler.peerCertificate
        else { return attempt.finish(.failed("there is no certificate")) }
        let seconds = Int(certificate.notValidAfter) - time(nil)
        let days = seconds / 86_400
        guard seconds >= 0 else { return attempt.finish(.failed("the certificate has ended")) }
        attempt.finish(
            days >= probe.days ? .passed("good for \(days) days") : .failed("the certificate ends in \(days) days"))
    }
}
