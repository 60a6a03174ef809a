import Foundation
import Glibc

/// A socket that answers each connection with bytes that the test chose, whatever the request.
final class ScriptedServer: Sendable {
    let path = "/tmp/nearcast-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
    private let listener: CInt

    /// - Parameter queue: connections that may wait to be accepted.
    init(queue: CInt = 16) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard Self.with(path, { bind(listener, $0, $1) }) == 0, listen(listener, queue) == 0 else {
            throw POSIXError(.EADDRINUSE)
        }
    }

    deinit {
        close(listener)
        unlink(path)
    }

    /// Leaves the file, with no socket behind it.
    func abandon() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// A connection that waits in the queue.
    func fillQueue() -> CInt {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        _ = Self.with(path) { connect(client, $0, $1) }
        return client
    }

    /// Accepts the next connection and closes it.
    func dismissOne() { close(accept(listener, nil, nil)) }

    /// Answers the next connection on a thread of its own.
    ///
    /// - Parameters:
    ///   - readsFirst: waits for the request; otherwise nothing of it is read.
    ///   - holds: leaves the connection open.
    ///   - closesSending: ends its own direction of the connection after the last piece.
    func answer(_ pieces: [[UInt8]], readsFirst: Bool = true, holds: Bool = false, closesSending: Bool = false) {
        Thread.detachNewThread { [self] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            if readsFirst { recv(connection, &buffer, buffer.count, 0) }
            for piece in pieces {
                // A blocking send takes all of the piece, unless the client is gone.
                _ = piece.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if pieces.count > 1 { usleep(200) }
            }
            if closesSending { shutdown(connection, Int32(SHUT_WR)) }
            // Until the client ends it.
            if holds { while recv(connection, &buffer, buffer.count, 0) > 0 {} }
            close(connection)
        }
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Runs blocking work off the cooperative pool.
func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
    }
}
