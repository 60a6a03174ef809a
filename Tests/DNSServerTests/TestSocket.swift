import DNSServer
import Foundation
import IPNetworks

/// A blocking client socket, connected, so that only datagrams from the server's address arrive. By default receives wait 30 s.
final class TestSocket: Sendable {
    struct Failure: Error {
        let call: String
        let code = errno
    }

    private let descriptor: CInt

    init(
        _ transport: Transport, to endpoint: SocketEndpoint, from source: IPAddress? = nil, timeoutSeconds: Double = 30
    ) throws {
        let family = endpoint.address.family == .v4 ? AF_INET : AF_INET6
        let kind = transport == .udp ? SOCK_DGRAM : SOCK_STREAM
        descriptor = socket(family, Int32(kind.rawValue), 0)
        var timeout = timeval(
            tv_sec: Int(timeoutSeconds), tv_usec: Int(timeoutSeconds.truncatingRemainder(dividingBy: 1) * 1e6))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: CInt = 1
        if transport == .tcp { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4) }
        // All properties are set, so `deinit` runs after a throw, and closes the socket.
        if let source {
            let bound = withSocketAddress(SocketEndpoint(address: source, port: 0)) { bind(descriptor, $0, $1) }
            guard bound == 0 else { throw Failure(call: "bind") }
        }
        let connected = withSocketAddress(endpoint) { connect(descriptor, $0, $1) }
        guard connected == 0 else { throw Failure(call: "connect") }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        repeat {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count >= 0 else { throw Failure(call: "send") }
            rest = rest.dropFirst(count)
        } while !rest.isEmpty
    }

    /// At most `limit` bytes; empty at the end of a stream, `nil` when nothing comes in time.
    func receive(_ limit: Int = 65_535) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        if count < 0, errno == EAGAIN { return nil }
        if count < 0, errno == ECONNRESET { return [] }
        guard count >= 0 else { throw Failure(call: "recv") }
        return Array(buffer[..<count])
    }

    /// Takes some of what has arrived: its bytes, 0 at the end of the stream, `nil` when nothing is there.
    func receiveNow() -> Int? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 { return errno == EAGAIN ? nil : 0 }
        return count
    }

    /// Closing sends a reset instead of the usual end.
    func resetOnClose() {
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }
}

extension TestSocket {
    /// Sends a message with its length, as TCP wants it.
    func sendMessage(_ message: [UInt8]) throws { try send(framed(message)) }

    /// The next message of a stream, `nil` at its end or when nothing comes in time.
    func receiveMessage() throws -> [UInt8]? {
        guard let head = try exactly(2) else { return nil }
        return try exactly(Int(head[0]) << 8 | Int(head[1]))
    }

    /// True when the server has closed the stream.
    func isClosed() throws -> Bool { try receive(1) == [] }

    private func exactly(_ count: Int) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try receive(count - bytes.count), !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }
}

func framed(_ message: [UInt8]) -> [UInt8] { [UInt8(message.count >> 8), UInt8(message.count & 255)] + message }

/// Calls `body` with the endpoint as the system wants it.
func withSocketAddress<Result>(
    _ endpoint: SocketEndpoint, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var v4 = sockaddr_in()
    var v6 = sockaddr_in6()
    switch endpoint.address {
    case .v4(let value):
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = endpoint.port.bigEndian
        v4.sin_addr.s_addr = value.bigEndian
        return withUnsafeBytes(of: &v4) {
            body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
        }
    case .v6:
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = endpoint.port.bigEndian
        withUnsafeMutableBytes(of: &v6.sin6_addr) { $0.copyBytes(from: endpoint.address.bytes) }
        return withUnsafeBytes(of: &v6) {
            body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
        }
    }
}
