package import ControlFailures

/// The daemon's life as one value. It is pure: the time and what the kernel says about processes are arguments.
///
///     starting ──► serving ── ask ──────────► handingOver ─────────────┐
///        │          ▲  │  │                    │   ▲  │               │
///        │          │  │  │                    │   └──┘ ask again     │ successor gone, or deadline passed
///        │          │  │  │                    │  (deadline restarts) ▼
///        │          │  │  └── late one gone ───┼────────────────► takingBack
///        │          └──┼──────── tookBack ─────┼─────────────────────┘ │
///        │ stop        │ stop                  │ stop                  │ stop
///        ▼             ▼                       ▼                       ▼
///      stopping ◄── successor gone ── stopping(successor)           stopping
///        │                                     │
///        └──────────── finish ──► stopped ◄────┘
///
/// Only `serving` allows changes of what is served. A daemon that is stopping without a successor still takes changes of
/// nodes: requests that are under way end in order.
package struct DaemonLife: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        case starting
        case serving
        /// A successor takes over. It may be silent until the deadline.
        case handingOver(successor: ProcessIdentity, deadline: ContinuousClock.Instant)
        /// The successor lost its turn; this daemon takes back what the successor may have changed.
        case takingBack(from: ProcessIdentity)
        case stopping(successor: ProcessIdentity?)
        case stopped
    }

    /// What a request to take over leads to.
    package enum Answer: Hashable, Sendable {
        /// The handover begins.
        case begins
        /// The successor asked before: its deadline starts again.
        case goesOn
    }

    /// Why a successor lost its turn.
    package enum Loss: Hashable, Sendable {
        case gone, late
    }

    package private(set) var phase = Phase.starting
    /// Successors that were late and are still alive: their sockets share the addresses.
    package private(set) var late: [ProcessIdentity] = []
    /// How many successors were late.
    package private(set) var lateCount: UInt64 = 0

    package init() {}

    /// The successor that takes over, if one does.
    package var successor: ProcessIdentity? {
        switch phase {
        case .handingOver(let successor, _), .takingBack(let successor): successor
        case .stopping(let successor): successor
        case .starting, .serving, .stopped: nil
        }
    }

    // MARK: - Transitions

    /// Everything is attached, and the services run.
    package mutating func serve() {
        if phase == .starting { phase = .serving }
    }

    /// A process asks to take over.
    ///
    /// - Parameters:
    ///   - limit: how long it may be silent.
    ///   - isAlive: whether a process exists.
    /// - Throws: `conflict` when another successor has its turn, or one that was late still has the addresses bound;
    ///   `unavailable` when this daemon is starting or stopping.
    package mutating func ask(
        _ asking: ProcessIdentity, at now: ContinuousClock.Instant, limit: Duration,
        isAlive: (ProcessIdentity) -> Bool
    ) throws(ControlFailure) -> Answer {
        switch phase {
        case .serving:
            late.removeAll { !isAlive($0) }
            // Queries would reach its sockets, which nothing reads.
            if let stuck = late.first {
                throw ControlFailure(
                    .conflict,
                    "process \(stuck.pid) did not take over in time and still has the addresses bound",
                    remedy: "end process \(stuck.pid), then start another successor")
            }
            phase = .handingOver(successor: asking, deadline: now + limit)
            return .begins
        case .handingOver(asking, _):
            phase = .handingOver(successor: asking, deadline: now + limit)
            return .goesOn
        case .stopping(asking): return .goesOn
        case .handingOver, .takingBack, .stopping(.some):
            throw ControlFailure(
                .conflict, "another nearcastd is taking over already", remedy: "wait until it has finished")
        case .starting, .stopping(nil), .stopped: throw Self.notServing
        }
    }

    /// Restarts the successor's deadline at `now`.
    package mutating func renew(at now: ContinuousClock.Instant, limit: Duration) {
        guard case .handingOver(let successor, _) = phase else { return }
        phase = .handingOver(successor: successor, deadline: now + limit)
    }

    /// Checks whether the successor lives and is in time.
    ///
    /// - Returns: why it lost its turn, once; `nil` otherwise.
    package mutating func check(
        at now: ContinuousClock.Instant, isAlive: (ProcessIdentity) -> Bool
    ) -> Loss? {
        switch phase {
        case .handingOver(let successor, let deadline):
            guard isAlive(successor) else {
                phase = .takingBack(from: successor)
                return .gone
            }
            guard deadline <= now else { return nil }
            phase = .takingBack(from: successor)
            late.append(successor)
            lateCount += 1
            return .late
        // A daemon that stops drains in its own time: the successor has done its part.
        case .stopping(let successor?):
            guard !isAlive(successor) else { return nil }
            phase = .stopping(successor: nil)
            return .gone
        case .starting, .serving, .takingBack, .stopping(nil), .stopped: return nil
        }
    }

    /// A successor that was late is gone. It may have ended a step meanwhile that it was stopped in.
    ///
    /// - Returns: whether everything has to be taken back once more; false while another process has its turn, or after
    ///   the end.
    package mutating func outlived(_ successor: ProcessIdentity) -> Bool {
        late.removeAll { $0 == successor }
        switch phase {
        case .serving:
            phase = .takingBack(from: successor)
            return true
        case .stopping(nil): return true
        case .starting, .handingOver, .takingBack, .stopping(.some), .stopped: return false
        }
    }

    /// Everything is this daemon's again.
    package mutating func tookBack() {
        if case .takingBack = phase { phase = .serving }
    }

    /// The daemon is to stop.
    package mutating func stop() {
        switch phase {
        case .handingOver(let successor, _): phase = .stopping(successor: successor)
        case .starting, .serving, .takingBack: phase = .stopping(successor: nil)
        case .stopping, .stopped: break
        }
    }

    /// The services have ended.
    package mutating func finish() { phase = .stopped }

    // MARK: - What is allowed

    package static let isHandingOver = ControlFailure(
        .unavailable, "another nearcastd is taking over", remedy: "try again in a moment")
    package static let notServing = ControlFailure(
        .unavailable, "the daemon is starting or stopping", remedy: "try again in a moment")

    /// Why what is served cannot be changed now; `nil`: it can.
    package var publishingRefusal: ControlFailure? {
        switch phase {
        case .serving: nil
        case .handingOver, .takingBack: Self.isHandingOver
        case .starting, .stopping, .stopped: Self.notServing
        }
    }

    /// Why nodes' states cannot be changed now; `nil`: they can.
    package var nodeRefusal: ControlFailure? {
        switch phase {
        case .starting, .serving, .stopping(nil), .stopped: nil
        case .handingOver, .takingBack, .stopping(.some): Self.isHandingOver
        }
    }

    /// Whether program, links and pins are another process's to change.
    package var leavesKernelAlone: Bool { nodeRefusal != nil }
}
