import Glibc
import LinuxSupport
import SystemPackage

/// One connection of the client, with a deadline for all it does.
struct ControlConnection {
    private let path: String
    private let descriptor: CInt
    private let timeoutSeconds: Double
    private let deadline: ContinuousClock.Instant

    init(path: String, timeoutSeconds: Double) throws(ControlFailure) {
        switch SocketFile.connect(path) {
        case .success(let descriptor): self.descriptor = descriptor
        case .failure(let error): throw Self.unreachable(path, error)
        }
        self.path = path
        self.timeoutSeconds = timeoutSeconds
        deadline = .now + .seconds(timeoutSeconds)
    }

    func close() {
        Glibc.close(descriptor)
    }

    private static func unreachable(_ path: String, _ error: SystemError) -> ControlFailure {
        switch error.errno {
        case .noSuchFileOrDirectory, .connectionRefused:
            ControlFailure(
                .unavailable, "no daemon at \(path): is nearcastd running?",
                remedy: "start it with systemctl start nearcastd, or give the control path of its configuration")
        case .permissionDenied, .notPermitted:
            ControlFailure(
                .unavailable, "no permission to use \(path)", remedy: "become root or a member of the socket's group")
        default:
            ControlFailure(.unavailable, "\(path): \(error.reason)")
        }
    }

    mutating func write(_ bytes: [UInt8]) throws(ControlFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try wait(for: POLLOUT)
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 { rest = rest.dropFirst(count) }
            // A server that refuses a body early closes its side: its reason may be waiting to be read.
            if count < 0, errno == EPIPE || errno == ECONNRESET { return }
            if count < 0, errno != EAGAIN, errno != EINTR { throw failure(.last("socket")) }
        }
    }

    mutating func response() throws(ControlFailure) -> (status: Int, body: [UInt8]) {
        var parser = HTTPResponseParser()
        var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
        while !parser.isComplete {
            try wait(for: POLLIN)
            let count = buffer.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            if count < 0 {
                if errno == EAGAIN || errno == EINTR { continue }
                throw failure(.last("socket"))
            }
            if count == 0 {
                guard parser.end() else {
                    throw ControlFailure(
                        .unavailable, "\(path): the daemon closed the connection before its answer was complete")
                }
                break
            }
            do throws(HTTPResponseParser.Malformed) {
                try parser.append(buffer[..<count])
            } catch {
                throw ControlFailure(.unavailable, "\(path): the answer is no HTTP response: \(error.reason)")
            }
        }
        return (parser.status, parser.body)
    }

    private func failure(_ error: SystemError) -> ControlFailure {
        ControlFailure(.unavailable, "\(path): \(error.reason)")
    }

    private func wait(for event: CInt) throws(ControlFailure) {
        while true {
            let left = deadline - .now
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            var poller = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let ready = milliseconds > 0 ? poll(&poller, 1, Int32(clamping: milliseconds)) : 0
            if ready > 0 { return }
            if ready == 0 {
                throw ControlFailure(.unavailable, "\(path): no answer within \(timeoutSeconds) seconds")
            }
            if errno != EINTR { throw failure(.last("socket")) }
        }
    }
}
