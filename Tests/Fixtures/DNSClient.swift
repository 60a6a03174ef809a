import BPFRuntime
import Glibc
public import IPNetworks
import LinuxSupport

/// A blocking client.
///
/// It waits 30 seconds for an answer, so that a busy machine loses none. Where no process listens, the kernel says so at once.
public final class DNSClient: Sendable {
    private let descriptor: CInt

    /// A socket of the network namespace at `namespace` (nil: this process's), from `source` where one is given.
    public init(
        in namespace: String? = nil, from source: IPAddress? = nil, to server: SocketEndpoint, stream: Bool = false
    ) throws {
        let make: @Sendable () throws -> CInt = { try Self.open(source, server, stream) }
        descriptor = try namespace.map { try inNetworkNamespace($0, make) } ?? make()
    }

    deinit { close(descriptor) }

    private static func open(_ source: IPAddress?, _ server: SocketEndpoint, _ stream: Bool) throws -> CInt {
        let family = server.address.family == .v4 ? AF_INET : AF_INET6
        let kind = stream ? SOCK_STREAM : SOCK_DGRAM
        let descriptor = socket(family, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.last("socket") }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        do {
            if let source {
                try withAddress(SocketEndpoint(address: source, port: 0)) { address, length in
                    guard bind(descriptor, address, length) == 0 else {
                        throw SystemError.last("bind \(source)")
                    }
                }
            }
            try withAddress(server) { address, length in
                guard connect(descriptor, address, length) == 0 else {
                    throw SystemError.last("connect \(server)")
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Sends a message without waiting for the answer.
    public func send(_ message: [UInt8]) {
        _ = Glibc.send(descriptor, message, message.count, Int32(MSG_NOSIGNAL))
    }

    /// The next datagram; nil if none comes in time or no process listens.
    public func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_535)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count >= 0 ? Array(buffer[..<count]) : nil
    }

    /// Sends a query and returns the answer with the same id.
    public func ask(_ message: [UInt8]) -> [UInt8]? {
        send(message)
        while let reply = receive() {
            if reply.prefix(2) == message.prefix(2) { return reply }
        }
        return nil
    }

    /// Sends a query over TCP and returns the answer.
    public func askStream(_ message: [UInt8]) -> [UInt8]? {
        send(UInt16(message.count).wire + message)
        var bytes: [UInt8] = []
        while bytes.count < 2 || bytes.count < 2 + Int(bytes[0]) << 8 + Int(bytes[1]) {
            guard let more = receive(), !more.isEmpty else { return nil }
            bytes += more
        }
        return Array(bytes[2...])
    }
}

/// Calls `body` with the endpoint as the system wants it.
private func withAddress(_ endpoint: SocketEndpoint, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws
{
    var bytes: [UInt8]
    switch endpoint.address {
    case .v4:
        // struct sockaddr_in: family, port, address, padding.
        bytes = withUnsafeBytes(of: UInt16(AF_INET)) { Array($0) } + endpoint.port.wire + endpoint.address.bytes
        bytes += [UInt8](repeating: 0, count: 8)
    case .v6:
        // struct sockaddr_in6: family, port, flow, address, scope.
        bytes = withUnsafeBytes(of: UInt16(AF_INET6)) { Array($0) } + endpoint.port.wire + [0, 0, 0, 0]
        bytes += endpoint.address.bytes + [0, 0, 0, 0]
    }
    try bytes.withUnsafeBytes { raw in
        guard let base = raw.assumingMemoryBound(to: sockaddr.self).baseAddress else { return }
        try body(base, socklen_t(raw.count))
    }
}
