import Glibc
import LinuxSupport

/// Asks on a socket of its own, connected, with a port that the kernel draws for each question. So the kernel drops
/// what comes from another address or port.
package struct SocketLookupTransport: LookupTransport {
    /// How long one try may take, with its connection.
    private let limit: Int64

    /// - Parameter milliseconds: how long one try may take.
    package init(milliseconds: Int64 = 2000) { limit = milliseconds * 1_000_000 }

    package func ask(_ question: LookupQuestion, _ server: LookupServer, overTCP: Bool) async throws -> [UInt8] {
        try await onThread(named: "lookup", stackBytes: 256 << 10) {
            let exchange = try LookupExchange(server, overTCP: overTCP, until: MonotonicClock.nanoseconds + limit)
            return overTCP ? try exchange.overTCP(question) : try exchange.overUDP(question)
        }
    }
}

/// One socket, from opening to closing. Blocks the calling thread.
private struct LookupExchange: ~Copyable {
    private let descriptor: CInt
    private let deadline: Int64

    init(_ server: LookupServer, overTCP: Bool, until deadline: Int64) throws {
        let kind = CInt((overTCP ? SOCK_STREAM : SOCK_DGRAM).rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let family = server.address.count == 4 ? AF_INET : AF_INET6
        let opened = socket(family, kind | CInt(SOCK_NONBLOCK.rawValue), 0)
        guard opened >= 0 else { throw SystemError.last("socket") }
        guard Self.connect(opened, to: server) == 0 || errno == EINPROGRESS else {
            let error = SystemError.last("connect")
            close(opened)
            throw error
        }
        (descriptor, self.deadline) = (opened, deadline)
    }

    deinit { close(descriptor) }

    private static func connect(_ descriptor: CInt, to server: LookupServer) -> CInt {
        func connect<Address>(_ address: Address) -> CInt {
            withUnsafeBytes(of: address) { bytes in
                // The start of each socket address has the layout of `sockaddr`.
                Glibc.connect(
                    descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        if server.address.count == 4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = server.port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: server.address) }
            return connect(address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = server.port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: server.address) }
        return connect(address)
    }

    borrowing func overUDP(_ question: LookupQuestion) throws -> [UInt8] {
        try write(question.message)
        var bareError: [UInt8]?
        while true {
            do {
                let reply = try read(4096)
                switch question.verdict(on: reply, overTCP: false) {
                case .reply, .needsTCP: return reply
                case .bareError: bareError = reply
                case .unrelated: continue
                }
            } catch {
                // The time is over, or the port is closed.
                guard let bareError else { throw error }
                return bareError
            }
        }
    }

    /// RFC 7766: each message follows its length. A connection carries one question here.
    borrowing func overTCP(_ question: LookupQuestion) throws -> [UInt8] {
        try wait(for: POLLOUT)
        let count = question.message.count
        try write([UInt8(count >> 8), UInt8(count & 255)] + question.message)
        let length = try readAll(2)
        let reply = try readAll(Int(length[0]) << 8 | Int(length[1]))
        switch question.verdict(on: reply, overTCP: true) {
        case .reply, .bareError: return reply
        case .unrelated, .needsTCP: throw LookupFailure(description: "the reply belongs to another question")
        }
    }

    private borrowing func write(_ bytes: [UInt8]) throws {
        // A question is shorter than any send buffer, so it is written at once.
        let sent = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        guard sent >= 0 else { throw SystemError.last("send") }
        guard sent == bytes.count else { throw LookupFailure(description: "the question could not be sent whole") }
    }

    private borrowing func readAll(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = try read(count - bytes.count)
            guard !piece.isEmpty else { throw LookupFailure(description: "the server closed the connection") }
            bytes += piece
        }
        return bytes
    }

    private borrowing func read(_ limit: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        while true {
            try wait(for: POLLIN)
            let count = recv(descriptor, &buffer, limit, 0)
            if count >= 0 { return Array(buffer.prefix(count)) }
            guard errno == EAGAIN || errno == EINTR else { throw SystemError.last("recv") }
        }
    }

    private borrowing func wait(for events: CInt) throws {
        while true {
            let left = deadline - MonotonicClock.nanoseconds
            guard left > 0 else { throw LookupFailure(description: "no reply in time") }
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let ready = poll(&entry, 1, CInt((left + 999_999) / 1_000_000))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw SystemError.last("poll") }
        }
    }
}
