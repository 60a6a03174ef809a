import BPFRuntime
import Glibc
public import IPNetworks

/// A TCP service on one side of a lab, whose connections report the times that the kernel measured.
public final class TCPService {
    private let listener: Int32
    private let family: IPFamily
    public let port: UInt16
    /// `TCP_INFO` of linux/tcp.h.
    private static let tcpInfo: Int32 = 11

    /// Listens at all addresses of the namespace open at `path`.
    ///
    /// - Parameter family: of the socket; one of IPv6 takes clients of both.
    public init(at path: String, family: IPFamily, port: UInt16) throws {
        (self.family, self.port) = (family, port)
        listener = try inNetworkNamespace(path) {
            let listener = socket(family == .v4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
            var one: Int32 = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
            let bound = withAddress(family == .v4 ? .v4(0) : .v6(0), port) { bind(listener, $0, $1) }
            guard listener >= 0, bound == 0, listen(listener, 64) == 0 else {
                throw CommandFailure(description: "listen: errno \(errno)")
            }
            return listener
        }
    }

    deinit { close(listener) }

    /// Opens a connection, sends a little both ways and ends it at once on the service's side.
    ///
    /// - Parameters:
    ///   - path: of the client's namespace.
    ///   - client: the client's address; its family is the connection's.
    /// - Returns: the round-trip time in microseconds that the kernel last reported for the service's socket.
    @discardableResult
    public func serve(from path: String, client: IPAddress, at server: IPAddress) throws -> UInt32 {
        let port = port
        let client: Int32 = try inNetworkNamespace(path) {
            let descriptor = socket(client.family == .v4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
            guard withAddress(client, 0, { bind(descriptor, $0, $1) }) == 0,
                withAddress(server, port, { connect(descriptor, $0, $1) }) == 0
            else { throw CommandFailure(description: "connect: errno \(errno)") }
            return descriptor
        }
        defer { close(client) }
        let accepted = accept(listener, nil, nil)
        var byte: UInt8 = 7
        guard accepted >= 0, write(client, &byte, 1) == 1, read(accepted, &byte, 1) == 1,
            write(accepted, &byte, 1) == 1, read(client, &byte, 1) == 1
        else { throw CommandFailure(description: "connection: errno \(errno)") }
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        // No answer to a FIN comes that could change the time: the connection is cut.
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(accepted, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
        let told = getsockopt(accepted, Int32(IPPROTO_TCP), Self.tcpInfo, &info, &length)
        close(accepted)
        guard told == 0 else { throw CommandFailure(description: "TCP_INFO: errno \(errno)") }
        // tcpi_rtt of linux/tcp.h.
        return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 68, as: UInt32.self) }
    }
}

/// Passes an address on as the C library has it.
private func withAddress(
    _ address: IPAddress, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var storage = sockaddr_storage()
    let size = withUnsafeMutableBytes(of: &storage) { bytes -> Int in
        switch address {
        case .v4(let bits):
            var ipv4 = sockaddr_in()
            ipv4.sin_family = sa_family_t(AF_INET)
            ipv4.sin_port = port.bigEndian
            ipv4.sin_addr.s_addr = bits.bigEndian
            bytes.storeBytes(of: ipv4, as: sockaddr_in.self)
            return MemoryLayout<sockaddr_in>.size
        case .v6(let bits):
            var ipv6 = sockaddr_in6()
            ipv6.sin6_family = sa_family_t(AF_INET6)
            ipv6.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &ipv6.sin6_addr) { $0.storeBytes(of: bits.bigEndian, as: UInt128.self) }
            bytes.storeBytes(of: ipv6, as: sockaddr_in6.self)
            return MemoryLayout<sockaddr_in6>.size
        }
    }
    return withUnsafeBytes(of: &storage) { bytes in
        bytes.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, socklen_t(size)) }
    }
}
