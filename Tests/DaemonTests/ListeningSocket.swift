import BPFRuntime
import Glibc
import IPNetworks
import LinuxSupport

/// A bound socket in a network namespace, to hold a port.
final class ListeningSocket {
    private let descriptor: CInt

    init(in namespace: String, at endpoint: SocketEndpoint, stream: Bool) throws {
        descriptor = try inNetworkNamespace(namespace) {
            let kind = stream ? SOCK_STREAM : SOCK_DGRAM
            let descriptor = socket(AF_INET, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            // struct sockaddr_in: family, port, address, padding.
            let address =
                withUnsafeBytes(of: UInt16(AF_INET)) { Array($0) }
                + [UInt8(endpoint.port >> 8), UInt8(endpoint.port & 255)] + endpoint.address.bytes
                + [UInt8](repeating: 0, count: 8)
            let bound = address.withUnsafeBytes { raw in
                raw.assumingMemoryBound(to: sockaddr.self).baseAddress.map {
                    bind(descriptor, $0, socklen_t(raw.count))
                } ?? -1
            }
            guard bound == 0 else { throw SystemError.last("bind \(endpoint)") }
            if stream, listen(descriptor, 1) != 0 { throw SystemError.last("listen") }
            return descriptor
        }
    }

    func close() { Glibc.close(descriptor) }
}
