public import ControlFailures
import Glibc
import Hummingbird
import HummingbirdCore
import LinuxSupport
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization
public import Telemetry

/// The control socket: every route, over HTTP/1.1 on a Unix socket.
///
/// Every account that may write to the socket file may command the daemon: its mode is 0660, with the owner and group
/// of the process. The server has a thread of its own, so that floods of other listeners do not delay commands.
/// ``Limits`` bound what connections can take.
public final class ControlServer: Service {
    private let path: String
    private let handler: any ControlHandling
    private let logger: Logger
    private let places: ControlPlaces
    /// The socket file of this server, as opposed to a successor's at the same path.
    private let file = Mutex<FileEntry?>(nil)
    private let opening = AsyncStream.makeStream(of: Void.self)

    /// Makes the parent folder and removes the leftovers of a killed daemon; `run` binds.
    ///
    /// - Parameters:
    ///   - path: of the socket file, at most 107 bytes.
    ///   - handover: take the path over from a daemon that still answers and will end soon.
    /// - Throws: `conflict` if another daemon answers at the path, `invalid` if the path cannot be used.
    public init(
        path: String, handler: any ControlHandling, logger: Logger, limits: Limits = Limits(), handover: Bool = false
    ) throws(ControlFailure) {
        try SocketFile.prepare(path, handover: handover)
        self.path = path
        self.handler = handler
        self.logger = logger
        places = ControlPlaces(limits)
    }

    /// - Throws: `conflict` if another daemon answers at the path. Changes nothing.
    public static func requireFree(_ path: String) throws(ControlFailure) { try SocketFile.requireFree(path) }

    /// Serves until graceful shutdown or cancellation, then removes the socket file.
    public func run() async throws {
        defer {
            opening.continuation.finish()
            removeFile()
        }
        // Hummingbird's line about the listening socket says nothing new.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let application = Application(
            router: RouteTable.all.router(
                handler, places: places, first: [PeerMiddleware(places: places, accounts: AccountNames())]),
            server: HTTPServerBuilder { [places] in ControlChannel(places, responder: $0) },
            configuration: .init(address: .unixDomainSocket(path: bound)),
            onServerRunning: { [self] _ in openFile() },
            eventLoopGroupProvider: .shared(group),
            logger: quiet)
        let result: Result<Void, any Error>
        do { result = .success(try await serve(application)) } catch { result = .failure(error) }
        try await group.shutdownGracefully()
        try result.get()
    }

    /// How long requests may go on when the daemon stops. Other services stop after this one, so a client that takes no
    /// answer must not hold them up: until they have stopped, they answer from what this process knows.
    private static let shutdownLimit = Duration.seconds(2)

    private func serve(_ application: some ApplicationProtocol) async throws {
        let timer = Mutex<Task<Void, Never>?>(nil)
        try await withGracefulShutdownHandler {
            defer { timer.withLock { $0?.cancel() } }
            try await application.run()
        } onGracefulShutdown: { [places] in
            timer.withLock {
                $0 = Task {
                    guard (try? await Task.sleep(for: Self.shutdownLimit)) != nil else { return }
                    places.closeAll()
                }
            }
        }
    }

    /// Counters of the socket's connections.
    public var metrics: [MetricSample] { places.metrics }

    /// Where the socket is bound before it gets its name. When a server of NIO closes, it removes the file at the path
    /// that it was bound to, even if another process made it: a predecessor would remove its successor's file.
    private var bound: String { SocketFile.temporary(beside: path) ?? path }

    // Until here the mode is 0777 less the process's umask (nearcastd's is 0077), so no other account gets in too
    // early.
    private func openFile() {
        chmod(bound, 0o660)
        if bound != path, rename(bound, path) != 0 {
            let reason = SystemError.last("rename").reason
            logger.error("cannot rename the control socket", metadata: ["path": "\(path)", "error": "\(reason)"])
        }
        file.withLock { $0 = FileEntry(path) }
        opening.continuation.yield()
    }

    /// Returns when clients can connect, or when they never will; for one caller.
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
