package import ControlFailures
import Glibc
import LinuxSupport
package import Logging

/// The predecessor's side of a handover. ``DaemonLife`` draws the phases.
///
///     serving ── POST /v1/handover ──► answers, changes nothing ── SIGTERM ──► drains, and leaves everything pinned
///
/// The turn is given to the process at the other end of the connection, as the kernel names it, and to no other. A
/// successor asks again right before each step that cannot be undone. One that was stopped for too long is refused then; it
/// ends and leaves its predecessor as it is.
package actor HandoverController {
    package struct Parts: Sendable {
        let life: LifeCycle
        let events: EventStream
        let publisher: Publisher
        let nodes: NodeController
        let fastPath: any FastPathDriving
        /// Keeps everything that clients send from a successor that has bound the addresses and may be stopped, or shares
        /// the addresses with it again.
        let keepAddresses: @Sendable (Bool) -> Void
        /// Gives the control socket a second name, by which this daemon is asked again, and can take the first one back.
        let holdSocket: @Sendable () -> (any HeldSocket)?

        package init(
            life: LifeCycle, events: EventStream, publisher: Publisher, nodes: NodeController,
            fastPath: any FastPathDriving, keepAddresses: @escaping @Sendable (Bool) -> Void,
            holdSocket: @escaping @Sendable () -> (any HeldSocket)?
        ) {
            self.life = life
            self.events = events
            self.publisher = publisher
            self.nodes = nodes
            self.fastPath = fastPath
            self.keepAddresses = keepAddresses
            self.holdSocket = holdSocket
        }
    }

    /// What a successor gets.
    package struct Grant: Sendable {
        /// How long it may be silent, in seconds.
        package let validSeconds: Int
        /// The control socket's second name; `nil`: it has none.
        package let path: String?
    }

    private let parts: Parts
    /// How long a successor may be silent.
    private let limit: Duration
    private let logger: Logger
    private var socket: (any HeldSocket)?
    /// Ends what is under way before the successor gets its grant.
    private var beginning: Task<Void, Never>?
    /// Waits for the successor to end, or to be late.
    private var watching: Task<Void, Never>?
    /// Waits for a successor that was late to end.
    private var outliving: Task<Void, Never>?

    package init(_ parts: Parts, limit: Duration, logger: Logger) {
        self.parts = parts
        self.limit = limit
        self.logger = logger
    }

    /// Hands over to the process that asks.
    ///
    /// - Parameters:
    ///   - pid: the process that it says it is.
    ///   - peer: the process at the other end of the connection, as the kernel names it; 0: of another PID namespace.
    /// - Throws: `forbidden` if a process asks for another one; `unavailable` if this daemon cannot watch the successor;
    ///   what ``DaemonLife/ask(_:at:limit:isAlive:)`` throws.
    package func handOver(to pid: Int32, peer: Int32) async throws(ControlFailure) -> Grant {
        guard peer > 0, pid == peer, peer != getpid(), let successor = ProcessIdentity(peer) else {
            throw ControlFailure(
                .forbidden, "process \(pid) cannot take over: process \(peer) asks for it",
                remedy: "a successor asks for itself, from the PID namespace of this daemon")
        }
        let watch: ProcessWatch
        do throws(SystemError) { watch = try ProcessWatch(successor) } catch {
            throw ControlFailure(
                .unavailable, "process \(pid) cannot take over: it cannot be watched (\(error))",
                remedy: "start the successor again")
        }
        if try parts.life.ask(successor, limit: limit) == .begins {
            beginning = Task { await self.begin(successor, watch) }
        }
        // Every ask waits for the same beginning: the grant says that nothing is under way.
        await beginning?.value
        return grant
    }

    private func begin(_ successor: ProcessIdentity, _ watch: ProcessWatch) async {
        parts.events.append(.handoverBegan(successor: successor.pid))
        // It binds the addresses next, and may be stopped before it reads.
        parts.keepAddresses(true)
        await parts.publisher.quiesce()
        await parts.nodes.handOver()
        // A detach under way ends first.
        await parts.fastPath.freed()
        // What was under way had to end first.
        parts.life.change { $0.renew(at: .now, limit: limit) }
        socket = parts.holdSocket()
        if socket == nil {
            logger.warning("cannot hold the control socket: it is lost if the successor ends before this daemon does")
        }
        watching = Task { await self.follow(successor, watch) }
    }

    /// Ends waiting for successors. The life cycle has ended.
    package func end() {
        watching?.cancel()
        outliving?.cancel()
        (watching, outliving) = (nil, nil)
    }

    private var grant: Grant { Grant(validSeconds: Int(limit / .seconds(1)), path: socket?.spare) }

    /// Takes everything back if the successor ends before this daemon does, or is silent for too long.
    private func follow(_ successor: ProcessIdentity, _ watch: ProcessWatch) async {
        var hasEnded = false
        var loss: DaemonLife.Loss?
        while true {
            loss = parts.life.change { [hasEnded] in $0.check(at: .now, isAlive: { !hasEnded && $0.isAlive }) }
            guard loss == nil else { break }
            let phase = parts.life.phase
            // The handover may have a later deadline by then, or none: a daemon that stops drains in its own time.
            if case .handingOver(_, let deadline) = phase {
                hasEnded = await watch.wait(until: deadline)
            } else if case .stopping(.some) = phase {
                hasEnded = await watch.wait(until: nil)
            } else {
                return
            }
            if Task.isCancelled { return }
        }
        guard let loss else { return }
        socket?.restore(isLast: loss == .gone)
        await takeBack()
        parts.events.append(.handoverLost(successor: successor.pid, loss))
        if loss == .late {
            outliving = Task { [socket] in await self.outlive(successor, watch, socket) }
        } else {
            parts.keepAddresses(false)
        }
        if parts.life.current.publishingRefusal == nil { await parts.publisher.resume() }
    }

    private func takeBack() async {
        // The store first: it gives the numbers of events again. Then the words, which the program reads once it is back.
        await parts.nodes.takeBack()
        await parts.fastPath.takeBack()
        parts.life.change { $0.tookBack() }
    }

    /// A successor that was stopped in the middle of a step ends that step when it goes on, before it learns that it is too
    /// late: it may put its own socket in the place, update a link, or write the states that it read. So everything is taken
    /// back once more when it is gone. Until then its sockets share the addresses, and get nothing.
    private func outlive(
        _ successor: ProcessIdentity, _ watch: ProcessWatch, _ socket: (any HeldSocket)?
    ) async {
        while await !watch.wait(until: nil) {
            if Task.isCancelled || parts.life.phase == .stopped { return }
        }
        // The next one has its turn: it reads what this process wrote last, and goes on with its own.
        guard parts.life.change({ $0.outlived(successor) }) else { return }
        socket?.restore(isLast: true)
        await takeBack()
        if parts.life.current.successor == nil { parts.keepAddresses(false) }
        // The store may hold record changes of the successor that are not served yet.
        if parts.life.current.publishingRefusal == nil { await parts.publisher.resume() }
    }
}

/// The control socket under two names.
package protocol HeldSocket: Sendable {
    /// The second name.
    var spare: String { get }
    /// Gives the first name back to this process.
    ///
    /// - Parameter isLast: whether the second name is not needed any more.
    func restore(isLast: Bool)
}
