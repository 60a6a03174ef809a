public import ControlFailures
import Glibc
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
import RegularFiles
public import ServiceLifecycle
import Synchronization

/// The daemon's side of the control interface: HTTP/1.1 with JSON on a Unix socket.
///
/// Who may write to the socket file may command the daemon: mode 0660, owner and group of the process. A thread of its own:
/// what floods other listeners does not keep commands waiting. ``Limits`` bound what connections may take.
public final class ControlServer: Service {
    private let path: String
    private let handler: any ControlHandling
    private let logger: Logger
    private let places: ControlPlaces
    /// The socket file made by this server, to tell it from a successor's at the same path.
    private let file = Mutex<FileEntry?>(nil)
    private let opening = AsyncStream.makeStream(of: Void.self)

    /// Makes the parent folder and removes what a killed daemon left; `run` binds.
    ///
    /// - Parameters:
    ///   - path: of the socket file, at most 107 bytes.
    ///   - handover: take the path over from a daemon that still answers, which will end soon.
    /// - Throws: `conflict` when another daemon answers at the path, `invalid` when the path cannot be used.
    public init(
        path: String, handler: any ControlHandling, logger: Logger, limits: Limits = Limits(), handover: Bool = false
    ) throws(ControlFailure) {
        try SocketFile.prepare(path, handover: handover)
        self.path = path
        self.handler = handler
        self.logger = logger
        places = ControlPlaces(limits)
    }

    /// Serves until graceful shutdown or cancellation, then removes the socket file.
    public func run() async throws {
        defer {
            opening.continuation.finish()
            removeFile()
        }
        // Its own line about the listening socket would be news to nobody.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let application = Application(
            responder: ControlResponder(handler: handler, places: places),
            server: HTTPServerBuilder { [places] in ControlChannel(places, responder: $0) },
            configuration: .init(address: .unixDomainSocket(path: bound)),
            onServerRunning: { [self] _ in openFile() },
            eventLoopGroupProvider: .shared(group),
            logger: quiet)
        let result: Result<Void, any Error>
        do { result = .success(try await application.run()) } catch { result = .failure(error) }
        try await group.shutdownGracefully()
        try result.get()
    }

    /// Where the socket is bound before it is given its name. A server of NIO removes what has the name it was bound to
    /// when it closes, whoever made that: a predecessor would take its successor's file away.
    private var bound: String { SocketFile.temporary(beside: path) ?? path }

    // Until here the mode is 0777 less the process's umask (nearcastd's is 0077), so nobody gets in too early.
    private func openFile() {
        chmod(bound, 0o660)
        if bound != path, rename(bound, path) != 0 {
            logger.error("control \(path): the socket cannot be given its name: \(SystemError(code: errno))")
        }
        file.withLock { $0 = FileEntry(path) }
        opening.continuation.yield()
    }

    /// Returns when clients can connect, or when that will never be; for one caller.
    ///
    /// - Returns: whether they can.
    public func isOpened() async -> Bool {
        for await _ in opening.stream { return true }
        return false
    }

    private func removeFile() {
        guard let own = file.withLock({ $0 }), FileEntry(path) == own else { return }
        unlink(path)
    }
}
