import Glibc
package import LinuxSupport
import SystemPackage

/// The service manager that started this process, if it listens for the process's state: the protocol of sd_notify(3).
package struct ServiceManager: Sendable {
    /// The name of its socket: a path, or `@` and a name in the abstract namespace.
    private let socketName: String
    /// How often it wants to hear that the process is alive; `nil` if it does not watch.
    package let watchdogInterval: Duration?

    package init(socketName: String, watchdogInterval: Duration? = nil) {
        self.socketName = socketName
        self.watchdogInterval = watchdogInterval
    }

    /// By the environment; `nil` if no service manager listens.
    ///
    /// - Parameters:
    ///   - variable: a variable of the environment.
    ///   - process: this process.
    package init?(environment variable: (String) -> String?, process: Int32) {
        guard let name = variable("NOTIFY_SOCKET"), name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count > 1
        else { return nil }
        socketName = name
        let isMeant = variable("WATCHDOG_PID").map { Int32($0) == process } ?? true
        let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) }
        watchdogInterval = microseconds.flatMap { isMeant && $0 > 0 ? .microseconds($0) : nil }
    }

    /// By the environment of this process.
    package static var current: ServiceManager? {
        ServiceManager(environment: { getenv($0).map { String(cString: $0) } }, process: getpid())
    }

    /// The clock of `reloading`, in microseconds.
    static var monotonicMicroseconds: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    }

    /// What can be said.
    package enum Message: Hashable, Sendable {
        /// The start has ended: packets are answered.
        case ready
        /// A reload begins, at this time of the monotonic clock. `ready` ends it.
        case reloading(monotonicMicroseconds: UInt64)
        case stopping
        /// The process is alive.
        case alive
        /// One line for people, as `systemctl status` shows it.
        case status(String)
        /// The start or stop takes this much longer than was configured.
        case extended(Duration)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            case .status(let text): "STATUS=" + text.replacing("\n", with: " ")
            case .extended(let duration):
                "EXTEND_TIMEOUT_USEC=\(duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000)"
            }
        }
    }

    /// Sends messages as one datagram.
    ///
    /// - Throws: where the manager's socket is gone or does not take the message. Nothing depends on it but what people see.
    package func send(_ messages: Message...) throws(SystemError) {
        let address =
            socketName.hasPrefix("@")
            ? UnixSocketAddress(abstractName: socketName.dropFirst()) : UnixSocketAddress(path: socketName)
        guard let address else { throw SystemError(call: "sendto \(socketName)", errno: .fileNameTooLong) }
        let flags = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        defer { close(descriptor) }
        let text = Array(messages.map(\.text).joined(separator: "\n").utf8)
        let sent = address.withPointer { sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, $1) }
        guard sent == text.count else { throw .last("sendto \(socketName)") }
    }
}
