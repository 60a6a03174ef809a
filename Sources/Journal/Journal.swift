import Foundation
public import StateStore
import Synchronization

/// State that outlives the daemon: every change of a node's state, and the known state of the nodes. One SQLite file in
/// the state folder, which two processes may have open at once.
///
///     write(records, nodes) ──► waiting, in order ──► one transaction ──► waiters
///      (at once, no I/O)          ▲                      │ fails: kept, tried again
///                                 └──────────────────────┘
///
/// Callers wait for the disk only if they ask to (``flush()``). Failed writes are kept in memory and retried. Beyond
/// ``maximumWaiting`` changes the oldest are dropped, and counted.
///
/// Numbers of changes: a process reserves a range in the file before it uses it, so no other process uses the same
/// numbers, whatever happens to this one. If the reservation fails (the disk is full), it counts on from the clock's
/// milliseconds, which are above all reserved numbers.
///
/// Sendable: mutable state is behind the mutex.
public final class Journal: Sendable {
    /// The maximum number of changes that wait for the disk.
    static let maximumWaiting = 65_536
    /// Numbers reserved at once. Renewed when half are used.
    static let numbersAtOnce: UInt64 = 65_536
    /// Writes between counts of the rows in the file.
    static let pruneInterval = 4_096
    static let retryInterval = Duration.seconds(5)

    struct Contents {
        var kept: [String: KeptNode] = [:]
        /// Ids of nodes whose state in the file differs from `kept`.
        var unwritten: Set<String> = []
        /// Changes being written, followed by those that wait.
        var writing: [NodeTransition] = []
        var waiting: [NodeTransition] = []
        var flushing: [CheckedContinuation<JournalProblem?, Never>] = []
        var isWriting = false
        /// A successor writes.
        var isHandedOver = false
        var isClosed = false
        /// Why the last attempt failed.
        var problem: JournalProblem?
        var retryAt: ContinuousClock.Instant?
        var numbers: Range<UInt64>
        /// The next range, once it is reserved.
        var moreNumbers: Range<UInt64>?
        var surplus: Range<UInt64>?
        var latest: UInt64
        /// Changes written since the rows in the file were counted.
        var sincePruned = Journal.pruneInterval
        var lost = 0
        /// Changes of this process.
        var count: UInt64 = 0

        /// Whether `numbers` is reserved in the file.
        var isNumbered = true

        var needsNumbers: Bool {
            !isHandedOver && moreNumbers == nil && (!isNumbered || numbers.count < Journal.numbersAtOnce / 2)
        }

        /// Above all numbers that this process has used or may use.
        var floor: UInt64 { max(latest + 1, numbers.upperBound) }

        var rrsets = RRsetContents()

        var hasWork: Bool { !waiting.isEmpty || !unwritten.isEmpty || needsNumbers || rrsets.hasWork }

        mutating func take(_ range: Range<UInt64>) {
            isNumbered = true
            if numbers.isEmpty {
                numbers = range
            } else if numbers.upperBound == range.lowerBound {
                numbers = numbers.lowerBound..<range.upperBound
            } else {
                moreNumbers = range
            }
        }

        mutating func nextNumber() -> UInt64 {
            if numbers.isEmpty, let more = moreNumbers { (numbers, moreNumbers) = (more, nil) }
            latest = numbers.first ?? max(latest + 1, Journal.clockFloor)
            if let first = numbers.first { numbers = (first + 1)..<numbers.upperBound }
            count += 1
            return latest
        }
    }

    let contents: Mutex<Contents>
    let store: JournalStore
    let limit: Int
    let note: @Sendable (JournalNote) -> Void

    init(
        _ store: JournalStore, kept: [String: KeptNode], numbers: Range<UInt64>, latest: UInt64,
        problem: JournalProblem?, rrsets: KeptRRsets, limit: Int, note: @escaping @Sendable (JournalNote) -> Void
    ) {
        self.store = store
        self.limit = limit
        self.note = note
        contents = Mutex(
            Contents(
                kept: kept, problem: problem, numbers: numbers, latest: latest, rrsets: RRsetContents(kept: rrsets)))
    }

    /// The file in a state folder.
    public static func path(in folder: String) -> String { folder + "/nearcast.db" }

    public var path: String { store.path }

    /// The known state of the nodes, by id.
    public var nodes: [String: KeptNode] { contents.withLock { $0.kept } }

    /// Number of the last change.
    public var latest: UInt64 { contents.withLock { $0.latest } }

    /// How many numbers this process has used.
    public var count: UInt64 { contents.withLock { $0.count } }

    /// Changes dropped because too many were waiting.
    public var lost: Int { contents.withLock { $0.lost } }

    /// Changes that are not in the file yet.
    public var backlog: Int { contents.withLock { $0.writing.count + $0.waiting.count } }

    /// Why the last write failed. `nil`: it did not.
    public var problem: JournalProblem? { contents.withLock { $0.problem } }

    /// The number of the next change. It is unique, in this process and all others.
    public func nextNumber() -> UInt64 { contents.withLock { $0.nextNumber() } }

    /// Above every number ever used, since changes do not occur every millisecond from 1970 on.
    static var clockFloor: UInt64 { UInt64(max(0, Date().timeIntervalSince1970) * 1_000) }

    /// Queues changes and node states to be written soon, together.
    ///
    /// - Parameters:
    ///   - records: with numbers from ``nextNumber()``, in order.
    ///   - nodes: by id; `nil` deletes.
    public func write(_ records: [NodeTransition] = [], nodes: [String: KeptNode?] = [:]) {
        let given = contents.withLock { contents in
            contents.waiting += records
            for (id, node) in nodes where contents.kept[id] != node {
                contents.kept[id] = node
                contents.unwritten.insert(id)
            }
            let excess = contents.writing.count + contents.waiting.count - Self.maximumWaiting
            guard contents.problem != nil, excess > 0 else { return 0 }
            contents.waiting.removeFirst(min(excess, contents.waiting.count))
            contents.lost += excess
            return excess
        }
        if given > 0 {
            note(
                JournalNote(
                    .changesDropped,
                    "\(given) changes of node states were dropped: \(path) could not be written for too long"))
        }
        start(isUrgent: false)
    }

    /// Retries failed writes. Call it now and then.
    public func retry() { start(isUrgent: false) }

    /// Returns when everything given to ``write(_:nodes:)`` before is in the file, or cannot be written: with the
    /// reason then.
    public func flush() async -> JournalProblem? {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isClosed { contents.flushing.append(continuation) }
                return !contents.isClosed
            }
            if isOpen {
                start(isUrgent: true)
            } else {
                continuation.resume(returning: isClosedProblem)
            }
        }
    }

    // MARK: - Handover

    /// Writes everything, and returns unused numbers, from which a successor continues. After that no node states are
    /// written until ``resume()``, and only changes that had not fitted before.
    public func handOver() async -> JournalProblem? {
        contents.withLock { contents in
            guard !contents.isHandedOver else { return }
            contents.isHandedOver = true
            contents.surplus = contents.moreNumbers ?? contents.numbers
            (contents.numbers, contents.moreNumbers) = (0..<0, nil)
        }
        let problem = await flush()
        contents.withLock { contents in
            // If the disk recovers only later, the successor's states are newer by then.
            if contents.isHandedOver { contents.unwritten = [] }
        }
        return problem
    }

    /// The successor is gone: this process owns the node states again, and continues after the successor's numbers.
    public func resume() async -> JournalProblem? {
        contents.withLock { contents in
            contents.isHandedOver = false
            contents.unwritten.formUnion(contents.kept.keys)
        }
        return await flush()
    }

    /// Writes everything, returns unused numbers, and closes the file.
    public func close() async -> JournalProblem? {
        let problem = await handOver()
        contents.withLock { $0.isClosed = true }
        answerLate()
        await store.close()
        return problem
    }

    /// Answers callers of ``flush()`` that came after the last write. The journal is closed.
    func answerLate() {
        let late = contents.withLock { contents in
            defer { contents.flushing = [] }
            return contents.flushing
        }
        for waiter in late { waiter.resume(returning: isClosedProblem) }
    }

    private var isClosedProblem: JournalProblem { JournalProblem("\(path) is closed") }

    // MARK: - Reading

    /// Changes after number `sequence` in order, including those that wait for the disk. At most `limit`.
    public func changes(after sequence: UInt64, limit: Int) async throws(JournalProblem) -> [NodeTransition] {
        let waiting = contents.withLock { ($0.writing + $0.waiting).filter { $0.sequence > sequence } }
        let written = try await store.records(after: sequence, limit: limit)
        let known = Set(written.map(\.sequence))
        let all = waiting.filter { !known.contains($0.sequence) } + written
        return Array(all.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    /// Changes of a node, or of all if none is given, the latest first, including those that wait for the disk.
    public func history(of node: String?, limit: Int) async throws(JournalProblem) -> [NodeTransition] {
        let waiting = contents.withLock { ($0.writing + $0.waiting).filter { node == nil || $0.node == node } }
        let written = try await store.records(of: node, limit: limit)
        let known = Set(written.map(\.sequence))
        let all = waiting.filter { !known.contains($0.sequence) } + written
        return Array(all.sorted { $0.sequence > $1.sequence }.prefix(limit))
    }
}
