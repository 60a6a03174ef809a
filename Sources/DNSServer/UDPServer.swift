import CLinux
import Glibc
public import IPNetworks
public import LinuxSupport
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
    /// Datagrams since the start, over all threads. Every reply is `sent` or counted by what kept it from being sent:
    /// `tooLong`, `refused`, `noRoom` or `noNeighbour`.
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
        /// Replies that the kernel did not take: no route, a filter, an impossible sender.
        public var refused: UInt64
        /// Replies that were dropped because the socket's send buffer was full, or kernel memory short.
        public var noRoom: UInt64
        /// Replies that were dropped while much waited to be sent, and the kernel was still asking for the client's link
        /// address: most likely nobody has it, and the sender was forged.
        public var noNeighbour: UInt64
        /// Datagrams that the kernel dropped because a socket's queue was full.
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

    /// The addresses served, in the order given, with the ports in use.
    public let endpoints: [SocketEndpoint]
    private let workers: [UDPWorker]
    /// Of each address, one behind the other among the workers.
    private let threads: Int
    private let neighbours: Neighbours?

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

    /// Bytes that one socket may hold, most of them in the kernel: its receive buffer, twice what is asked for as its send
    /// buffer, and the batch of its thread.
    public static let bytesPerSocket = (4 << 20) + (4 << 20) + Int(NL_BATCH) * 2 * (Int(NL_DATAGRAM) + 64)

    /// Sockets, and threads, over all addresses.
    public var socketCount: Int { workers.count }

    public var counters: Counters {
        workers.reduce(into: Counters()) { $1.add(to: &$0) }
    }

    /// Serves until graceful shutdown or cancellation; call it once.
    ///
    /// - Throws: a `SystemError` when the system has no thread to give.
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

    /// Keeps all queries from a successor that has bound the addresses and may not read yet, or shares them with it again.
    /// By itself a retiring server shares them.
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
