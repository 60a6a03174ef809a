import CLinux
import Glibc
public import IPNetworks
public import LinuxSupport
public import ServiceLifecycle
import Synchronization
public import Telemetry

/// Serves DNS over UDP. Each address has one socket and one thread per core; the kernel chooses the socket by a hash of
/// the client's address and port.
///
///     init ── bind all ──► run ── threads: receive ≤ 64 · answer · send ──► retire ── drain ──► close
///
/// On graceful shutdown the sockets leave the reuseport group, so new queries go to a successor that is already bound.
/// Queued queries are answered; then the threads end.
public final class UDPServer: Service {
    /// Datagrams since the start, over all threads. Every reply is counted once: as `sent`, or by the reason it was not
    /// sent (`tooLong`, `refused`, `noRoom` or `noNeighbour`).
    public struct Counters: Sendable, Equatable {
        /// Datagrams received.
        public var received: UInt64
        /// Replies sent.
        public var sent: UInt64
        /// Replies sent after truncation, because the interface cannot send the whole without fragments: its MTU is
        /// below the 1,260 (IPv4) or 1,280 (IPv6) bytes that a reply may need.
        public var shortened: UInt64
        /// Replies too long even after truncation.
        public var tooLong: UInt64
        /// Replies that the kernel refused: no route, a filter, an impossible destination.
        public var refused: UInt64
        /// Replies dropped because the socket's send buffer was full or kernel memory was short.
        public var noRoom: UInt64
        /// Replies dropped while many were waiting and the kernel was still resolving the client's link address. Most
        /// likely no host has it, and the sender was forged.
        public var noNeighbour: UInt64
        /// Datagrams dropped by the kernel because a socket's queue was full.
        public var overflowed: UInt64

        public init(
            received: UInt64 = 0, sent: UInt64 = 0, shortened: UInt64 = 0, tooLong: UInt64 = 0, refused: UInt64 = 0,
            noRoom: UInt64 = 0, noNeighbour: UInt64 = 0, overflowed: UInt64 = 0
        ) {
            self.received = received
            self.sent = sent
            self.shortened = shortened
            self.tooLong = tooLong
            self.refused = refused
            self.noRoom = noRoom
            self.noNeighbour = noNeighbour
            self.overflowed = overflowed
        }
    }

    /// The served addresses in the given order, with their actual ports.
    public let endpoints: [SocketEndpoint]
    private let workers: [UDPWorker]
    /// Sockets per address; they are adjacent in `workers`.
    private let threads: Int
    private let neighbours: Neighbours?

    /// Binds every address. From then on queries queue.
    ///
    /// - Parameters:
    ///   - endpoints: at least one. Port 0 lets the kernel choose.
    ///   - answering: makes the replies; called on every thread.
    ///   - threads: sockets and threads per address, at least 1. The default is one per core that the process may use.
    ///   - handover: true when a predecessor still holds the addresses and will end soon.
    /// - Throws: the first address that cannot be served. None is bound then.
    public init(
        endpoints: [SocketEndpoint], answering: any PacketAnswering, threads: Int = Processors.usable,
        handover: Bool = false
    ) throws(ListenError) {
        precondition(!endpoints.isEmpty && threads > 0, "a server needs an address and a thread")
        let sockets = try ListenSocket.open(.udp, at: endpoints, count: threads, handover: handover)
        self.endpoints = stride(from: 0, to: sockets.count, by: threads).map { sockets[$0].endpoint }
        let neighbours = Neighbours()
        self.neighbours = neighbours
        self.threads = threads
        workers = sockets.map { UDPWorker(socket: $0, answering: answering, neighbours: neighbours) }
    }

    /// Bytes that one socket may use, most of them in the kernel: its receive buffer, its send buffer (twice the
    /// requested size), and the batch of its thread.
    public static let bytesPerSocket = (4 << 20) + (4 << 20) + Int(NL_BATCH) * 2 * (Int(NL_DATAGRAM) + 64)

    /// Sockets, and threads, over all addresses.
    public var socketCount: Int { workers.count }

    public var counters: Counters {
        workers.reduce(into: Counters()) { $1.add(to: &$0) }
    }

    /// From the receipt of a query in user space to its reply, without the time in the kernel's queue.
    public var latencies: [LatencyHistogram] { workers.map(\.latency) }

    /// Serves until graceful shutdown or cancellation. Call it once.
    ///
    /// - Throws: a `SystemError` when the system cannot create a thread.
    public func run() async throws {
        if let neighbours { try startThread(named: "udp neighbours") { neighbours.watch() } }
        defer { neighbours?.end() }
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
        do throws(SystemError) {
            try startThread(named: "udp \(worker.socket.endpoint.port)") {
                worker.serve()
                running.arrive()
            }
        } catch {
            retire()
            worker.socket.close()
            running.arrive(error)
        }
    }

    /// Keeps all queries from a successor that has bound the addresses but may not read yet, or shares them with it
    /// again. A server that retires shares them by itself.
    public func keepAddresses(_ keeps: Bool) {
        for first in stride(from: 0, to: workers.count, by: threads) {
            workers[first].socket.keepAddress(keeps, group: threads)
        }
    }

    private func retire() {
        keepAddresses(false)
        for worker in workers { worker.retire() }
    }
}

/// Resumes a server's task when the last thread has ended, with the first error.
final class Running: Sendable {
    private struct State {
        var count: Int
        var failure: SystemError?
    }

    private let state: Mutex<State>
    private let done: CheckedContinuation<Void, any Error>

    init(count: Int, done: CheckedContinuation<Void, any Error>) {
        state = Mutex(State(count: count))
        self.done = done
    }

    func arrive(_ failure: SystemError? = nil) {
        let last = state.withLock { state -> State? in
            state.count -= 1
            state.failure = state.failure ?? failure
            return state.count == 0 ? state : nil
        }
        guard let last else { return }
        if let failure = last.failure { done.resume(throwing: failure) } else { done.resume() }
    }
}
