import Foundation
import Glibc

/// A UDP socket on loopback that a script answers, on a thread of its own.
final class UDPResponder: Sendable {
    let port: UInt16
    private let descriptor: CInt

    /// - Parameter answer: what to send for a datagram.
    init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1_500)
            while true {
                var (peer, length) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
                withUnsafeMutablePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                        let count = recvfrom(descriptor, &buffer, buffer.count, 0, peer, &length)
                        guard count > 0 else { return }
                        let reply = answer(Array(buffer.prefix(count)))
                        _ = sendto(descriptor, reply, reply.count, 0, peer, length)
                    }
                }
                // Closed: nothing more comes.
                if fcntl(descriptor, F_GETFD) < 0 { return }
            }
        }
    }

    deinit { close(descriptor) }
}
