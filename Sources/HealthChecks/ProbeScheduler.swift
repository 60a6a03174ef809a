package import Health
package import IPNetworks
import NIOCore

/// Schedules probes: pace, limit, queue and batches. A pure value without clock, socket or thread: the caller passes
/// the time in and gets steps back.
///
///     use ──► idle ── due ──────────────────────► running ── finish, timeout ──► idle
///              └── due, limit reached ─► waiting ── room ──┘          └──► batch ──► report
///
/// A transport calls ``next(at:)`` until it returns no step. It calls it again at ``deadline``, after ``use(_:at:)``
/// and after ``finish(_:_:at:)``. All times are nanoseconds of one monotonic clock.
package struct ProbeScheduler {
    /// A check of a node.
    package struct Key: Hashable, Sendable {
        package let node: String
        package let check: Check

        package init(node: String, check: Check) {
            self.node = node
            self.check = check
        }
    }

    /// The next action of the transport.
    package enum Step {
        /// Start a probe. It ends with ``ProbeScheduler/finish(_:_:at:)``, unless a `cancel` comes first.
        case begin(ProbeID, Check)
        /// Release the resources of a probe that has ended.
        case cancel(ProbeID)
        case report([ProbeReport])
    }

    private enum State { case idle, waiting, running }

    private struct Slot {
        let key: Key
        /// When the next probe is due, or when the running one was due.
        var due: Int64
        /// Changes when a probe starts and when it ends, which voids earlier deadlines and ids.
        var serial: UInt32
        var state = State.idle
        var began: Int64 = 0
        /// When the running probe times out. Earlier deadlines of the same probe are void.
        var ends: Int64 = 0
        /// Which address of the check's host is probed. `nil`: the check names its address, or the host is being looked
        /// up.
        var address: IPAddress?

        mutating func begin(at now: Int64, _ found: IPAddress? = nil) {
            (began, ends, address) = (now, now + key.check.timeoutNanoseconds, found)
        }
    }

    /// Maximum number of concurrent probes.
    private let limit: Int
    private var random: any RandomNumberGenerator
    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var serials: UInt32 = 0
    private var deadlines = DeadlineQueue()
    private var waiting = CircularBuffer<ProbeID>()
    private var cancelled: [ProbeID] = []
    private var batch = ReportBatch()
    /// Running probes.
    package private(set) var running = 0
    /// All counters but `checks`, which ``Prober`` knows.
    package private(set) var counters = ProbeCounters()

    /// - Parameter random: spreads first probes over an interval, and varies the pace.
    package init(limit: Int, random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.limit = limit
        self.random = random
    }

    /// Probes exactly these checks from now on. Checks that remain keep their pace. A new check is first probed at a
    /// random point of its first interval.
    package mutating func use(_ wanted: Set<Key>, at now: Int64) {
        let gone = places.filter { !wanted.contains($0.key) }
        for (key, place) in gone {
            places[key] = nil
            if let slot = slots[place], slot.state == .running {
                running -= 1
                cancelled.append(ProbeID(slot: place, serial: slot.serial))
            }
            slots[place] = nil
            free.append(place)
        }
        if !gone.isEmpty {
            let left = slots
            deadlines.keep { left[Int($0.id.slot)]?.serial == $0.id.serial }
        }
        for key in wanted where places[key] == nil {
            let place = free.popLast() ?? slots.count
            if place == slots.count { slots.append(nil) }
            let phase = Int64.random(in: 0..<key.check.intervalNanoseconds, using: &random)
            let slot = Slot(key: key, due: now + phase, serial: nextSerial())
            slots[place] = slot
            places[key] = place
            deadlines.add(.init(due: slot.due, id: ProbeID(slot: place, serial: slot.serial)))
        }
    }

    /// The next step at `now`. `nil`: nothing to do before ``deadline``.
    package mutating func next(at now: Int64) -> Step? {
        if let id = cancelled.popLast() { return .cancel(id) }
        while running < limit, let id = waiting.popFirst() {
            if let slot = slot(of: id) { return begin(id, slot, at: now) }
        }
        while let entry = deadlines.next(at: now) {
            guard let slot = slot(of: entry.id) else { continue }
            if slot.state == .running {
                guard entry.due >= slot.ends else { continue }
                timeOut(entry, slot, at: now)
                return .cancel(entry.id)
            }
            if running < limit {
                if now - slot.due > slot.key.check.intervalNanoseconds / 2 { counters.delayed += 1 }
                return begin(entry.id, slot, at: now)
            }
            counters.delayed += 1
            slots[Int(entry.id.slot)]?.state = .waiting
            waiting.append(entry.id)
        }
        if let due = batch.due, due <= now { return .report(batch.take()) }
        return nil
    }

    /// When ``next(at:)`` has something to do again, if no probe finishes before. `nil`: never.
    package var deadline: Int64? {
        guard let first = deadlines.first else { return batch.due }
        return min(first, batch.due ?? first)
    }

    /// Gives a running probe its whole timeout from now on, and counts its time from now on: what came before was this
    /// machine's business. Ignored if the probe has already ended.
    ///
    /// - Parameter address: which address of the check's host is probed.
    package mutating func restart(_ id: ProbeID, at now: Int64, address: IPAddress?) {
        guard var slot = slot(of: id), slot.state == .running else { return }
        slot.begin(at: now, address)
        slots[Int(id.slot)] = slot
        deadlines.add(.init(due: slot.ends, id: id))
    }

    /// Takes the outcome of a probe. Ignored if the probe has already ended.
    package mutating func finish(_ id: ProbeID, _ outcome: ProbeOutcome, at now: Int64) {
        guard let slot = slot(of: id), slot.state == .running else { return }
        end(id, slot, outcome, at: now)
    }

    // MARK: - Probes

    private mutating func begin(_ id: ProbeID, _ idle: Slot, at now: Int64) -> Step {
        var slot = idle
        running += 1
        slot.serial = nextSerial()
        slot.state = .running
        slot.begin(at: now)
        slots[Int(id.slot)] = slot
        let begun = ProbeID(slot: Int(id.slot), serial: slot.serial)
        deadlines.add(.init(due: slot.ends, id: begun))
        return .begin(begun, slot.key.check)
    }

    private mutating func timeOut(_ entry: DeadlineQueue.Entry, _ slot: Slot, at now: Int64) {
        let outcome = ProbeOutcome.silence(
            timeoutMilliseconds: slot.key.check.timeoutMilliseconds, lateNanoseconds: now - entry.due)
        if outcome.result == .unasked { counters.delayed += 1 }
        end(entry.id, slot, slot.address.map { outcome.adding(" at \($0)") } ?? outcome, at: now)
    }

    private mutating func end(_ id: ProbeID, _ ended: Slot, _ outcome: ProbeOutcome, at now: Int64) {
        running -= 1
        counters.count(outcome)
        batch.add(
            ProbeReport(
                node: ended.key.node, check: ended.key.check, outcome: outcome,
                at: Moment(milliseconds: now / 1_000_000), tookMicroseconds: (now - ended.began) / 1_000), at: now)
        var slot = ended
        let interval = slot.key.check.intervalNanoseconds
        // Counted from the due time, to keep the pace. Missed probes are not made up for: after a pause of this host
        // all checks would be probed at once, and again in every interval.
        slot.due += interval + .random(in: -interval / 20...interval / 20, using: &random)
        if slot.due < now { slot.due = now + .random(in: 0..<interval, using: &random) }
        slot.state = .idle
        slot.serial = nextSerial()
        slots[Int(id.slot)] = slot
        deadlines.add(.init(due: slot.due, id: ProbeID(slot: Int(id.slot), serial: slot.serial)))
    }

    private mutating func nextSerial() -> UInt32 {
        serials &+= 1
        return serials
    }

    private func slot(of id: ProbeID) -> Slot? {
        guard Int(id.slot) < slots.count, let slot = slots[Int(id.slot)], slot.serial == id.serial else { return nil }
        return slot
    }
}

extension Check {
    var intervalNanoseconds: Int64 { intervalMilliseconds * 1_000_000 }
    var timeoutNanoseconds: Int64 { timeoutMilliseconds * 1_000_000 }
}
