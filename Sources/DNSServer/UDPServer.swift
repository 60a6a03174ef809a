import CLinux
import Glibc
public import IPNetworks
public import ServiceLifecycle
import Synchronization

/// Serves DNS over UDP: for each address one socket and one thread a core, which the kernel chooses by a hash of the
/// client's address and port.
///
///     init ── bind all ──► run ── threads: receive ≤ 64 · answer · send ──► retire ── drain ──► close
///
/// On graceful shutdown the sockets leave the group that shares the address, so new queries go to a successor that has bound
/// it already; what is queued is answered; then the threads end.
public final class UDPServer: Service {
    /// Datagrams since the start, over all threads. Every reply is either `sent`, `tooLong` or `refused`.
    public struct Counters: Sendable, Equatable {
        /// Datagrams taken from the sockets.
        public var received: UInt64
        /// Replies that left.
        public var sent: UInt64
        /// Those of them that were cut first, since the interface does not send the whole without fragments: its MTU is
        /// below the 1,260 (IPv4) or 1,280 (IPv6) bytes that a reply may need.
        public var shortened: UInt64
        /// Replies that were too long even so.
        public var tooLong: UInt64
        /// Replies that the kernel did not take: no route, a filter, an impossible sender, no memory.
        public var refused: UInt64
        /// Datagrams that the kernel dropped because a socket's queue was full.
        public var overflowed: UInt64

        public init(
            received: UInt64 = 0, sent: UInt64 = 0, shortened: UInt64 = 0, tooLong: UInt64 = 0, refused: UInt64 = 0,
            overflowed: UInt64 = 0
        ) {
            self.received = received
            self.sent = sent
            self.shortened = shortened
            self.tooLong = tooLong
            self.refused = refused
            self.overflowed = overflowed
        }
    }

    /// The addresses served, in the order given, with the ports in use.
    public let endpoints: [SocketEndpoint]
    private let workers: [UDPWorker]

    /// Binds every address; queries queue from then on.
    ///
    /// - Parameters:
    ///   - endpoints: at least one; port 0 lets the kernel choose.
    ///   - answering: makes the replies, called on every thread.
    ///   - threads: sockets and threads for each address, at least 1; by default one for each core that
    ///     the process may use.
    ///   - handover: a process that will end soon holds the addresses, and this one takes over.
    /// - Throws: the first address that cannot be served; none is bound then.
    public init(
        endpoints: [SocketEndpoint], answering: any PacketAnswering, threads: Int = usableCores, handover: Bool = false
    ) throws(ListenError) {
        precondition(!endpoints.isEmpty && threads > 0, "a server needs an address and a thread")
        let sockets = try ListenSocket.open(.udp, at: endpoints, count: threads, handover: handover)
        self.endpoints = stride(from: 0, to: sockets.count, by: threads).map { sockets[$0].endpoint }
        workers = sockets.map { UDPWorker(socket: $0, answering: answering) }
    }

    /// Cores that the calling thread may run on, at least 1.
    public static var usableCores: Int { Int(linux_usable_processors()) }

    public var counters: Counters {
        workers.reduce(into: Counters()) { $1.add(to: &$0) }
    }

    /// Serves until graceful shutdown or cancellation; call it once.
    ///
    /// - Throws: `ThreadError` when the system gives no thread.
    public func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { continuation in
                let running = Running(count: workers.count, done: continuation)
                for worker in workers { start(worker, running) }
            }
        } onCancelOrGracefulShutdown: {
            self.retire()
        }
    }

    private func start(_ worker: UDPWorker, _ running: Running) {
        let failure = startThread(named: "udp \(worker.socket.endpoint.port)") {
            worker.serve()
            running.arrive()
        }
        guard failure != 0 else { return }
        retire()
        worker.socket.close()
        running.arrive(ThreadError(code: failure))
    }

    private func retire() {
        for worker in workers { worker.retire() }
    }
}

/// The system gave no thread.
public struct ThreadError: Error, CustomStringConvertible {
    let code: CInt
    public var description: String { "no thread for a listener: \(String(cString: strerror(code)))" }
}

/// Resumes a server's task when the last thread has ended, with the first error.
final class Running: Sendable {
    private struct State {
        var count: Int
        var failure: ThreadError?
    }

    private let state: Mutex<State>
    private let done: CheckedContinuation<Void, any Error>

    init(count: Int, done: CheckedContinuation<Void, any Error>) {
        state = Mutex(State(count: count))
        self.done = done
    }

    func arrive(_ failure: ThreadError? = nil) {
        let last = state.withLock { state -> State? in
            state.count -= 1
            state.failure = state.failure ?? failure
            return state.count == 0 ? state : nil
        }
        guard let last else { return }
        if let failure = last.failure { done.resume(throwing: failure) } else { done.resume() }
    }
}
