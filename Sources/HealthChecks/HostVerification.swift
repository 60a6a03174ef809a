import Health
import NIOCore
import NIOSSL
import NIOTLS

/// Verifies that a certificate is for the requested name, as clients do. NIOSSL would also accept one for the peer's
/// address.
final class HostVerification: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let host: String
    private let probe: ChannelProbe

    init(_ host: String, _ probe: ChannelProbe) { (self.host, self.probe) = (host, probe) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent,
            let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self),
            let certificate = tls.peerCertificate, !names(of: certificate).contains(where: isHost)
        {
            return probe.finish(.failed(TLSFailure.otherName))
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The certificate's names. If it has no alternative names, NIOSSL has already checked the common name.
    private func names(of certificate: NIOSSLCertificate) -> [String] {
        let all = certificate._subjectAlternativeNames()
        guard !all.isEmpty else { return [host] }
        return all.filter { $0.nameType == .dnsName }.map { String(decoding: $0.contents, as: UTF8.self) }
    }

    /// RFC 9525, section 6.3: letter case is ignored, and a wildcard stands for the whole first label.
    private func isHost(_ name: String) -> Bool { Self.matches(name, host) }

    static func matches(_ name: String, _ host: String) -> Bool {
        let (name, host) = (labels(name), labels(host))
        guard name.count == host.count, name.count > 0 else { return false }
        return name == host || (name[0] == "*" && name.count > 2 && name.dropFirst() == host.dropFirst())
    }

    private static func labels(_ name: String) -> [Substring] {
        let name = name.lowercased()
        return (name.hasSuffix(".") ? name.dropLast() : name[...]).split(
            separator: ".", omittingEmptySubsequences: false)
    }
}
