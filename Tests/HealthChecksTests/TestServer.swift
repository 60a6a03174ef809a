import Fixtures
import Foundation
import Glibc
import IPNetworks
import Synchronization

/// A listening socket on loopback whose connections a script serves, each on a thread of its own.
final class TestServer: Sendable {
    let port: UInt16
    private let descriptor: CInt
    private let connections = Connections()

    private final class Connections: Sendable {
        let all = Mutex<[CInt]>([])
        let sent = Mutex(0)
    }

    /// Bytes that the kernel has taken of what was to be sent.
    var sent: Int { connections.sent.withLock { $0 } }

    /// - Parameters:
    ///   - accepts: `false`: connections are queued by the kernel and never served.
    ///   - part: sent so many times after what `serve` gives, with so many microseconds before each.
    ///   - serve: gets the first bytes that come, and gives what to send, or nil to say nothing; then the connection ends.
    init(
        hears: Bool = true, repeating part: [UInt8] = [], _ times: Int = 0, pause: UInt32 = 0,
        _ serve: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, bound) = (descriptor, address)
        let isBound = withUnsafePointer(to: bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound, listen(descriptor, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard hears else { return }
        Thread.detachNewThread { [connections] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                connections.all.withLock { $0.append(connection) }
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 4_096)
                    let count = recv(connection, &buffer, buffer.count, 0)
                    if let answer = serve(Array(buffer.prefix(max(0, count)))) {
                        var isTaken = Self.send(answer, connection, connections)
                        for _ in 0..<times where isTaken {
                            if pause > 0 { usleep(pause) }
                            isTaken = Self.send(part, connection, connections)
                        }
                        shutdown(connection, Int32(SHUT_RDWR))
                    }
                }
            }
        }
    }

    /// - Returns: whether all of it was taken.
    private static func send(_ bytes: [UInt8], _ connection: CInt, _ connections: Connections) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            connections.sent.withLock { $0 += sent }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        for connection in connections.all.withLock({ $0 }) { close(connection) }
    }

    /// A response with this status line's rest, and a body.
    static func http(_ status: String, _ body: String = "") -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
}

/// A port of loopback without a listener.
func closedPort() throws -> UInt16 { try TestServer(hears: false) { _ in nil }.port }
