import Foundation
public import StateStore
import Synchronization

/// What outlives the daemon: every change of a node's state, and what was known of the nodes. One SQLite file in the state
/// folder, which two processes may have open at once.
///
///     write(records, nodes) ──► waiting, in order ──► one transaction ──► waiters
///      (at once, no I/O)          ▲                      │ fails: kept, tried again
///                                 └──────────────────────┘
///
/// Callers never wait for the disk unless they ask to (``flush()``). What could not be written is kept in memory and written
/// when that is possible again; only beyond ``maximumWaiting`` changes the oldest are given up, and counted.
///
/// Numbers of changes: a process takes a range of them in the file before it uses them, so that no other one ever gives the
/// same, whatever becomes of this one. Where none could be taken (the disk is full) it counts on from the clock's milliseconds,
/// which is above all numbers taken.
///
/// Sendable: what changes is behind the mutex.
public final class Journal: Sendable {
    /// Changes that wait for a disk that takes none.
    static let maximumWaiting = 65_536
    /// Numbers taken at once, renewed at half.
    static let numbersAtOnce: UInt64 = 65_536
    /// Between counts of what is in the file.
    static let pruneInterval = 4_096
    static let retryInterval = Duration.seconds(5)

    struct Contents {
        var kept: [String: KeptNode] = [:]
        /// Ids of nodes that the file has not as `kept`.
        var unwritten: Set<String> = []
        /// Changes on their way to the file, and behind them those that wait.
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
        /// The range after that, once it is taken.
        var moreNumbers: Range<UInt64>?
        var surplus: Range<UInt64>?
        var latest: UInt64
        /// Changes written since those in the file were counted.
        var sincePruned = Journal.pruneInterval
        var lost = 0
        /// Changes of this process.
        var count: UInt64 = 0

        /// Whether the file knows of `numbers`.
        var isNumbered = true

        var needsNumbers: Bool {
            !isHandedOver && moreNumbers == nil && (!isNumbered || numbers.count < Journal.numbersAtOnce / 2)
        }

        /// Above all numbers that this process has given or may give.
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
    let note: @Sendable (String) -> Void

    init(
        _ store: JournalStore, kept: [String: KeptNode], numbers: Range<UInt64>, latest: UInt64,
        problem: JournalProblem?, rrsets: KeptRRsets, limit: Int, note: @escaping @Sendable (String) -> Void
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

    /// What is known of the nodes, by id.
    public var nodes: [String: KeptNode] { contents.withLock { $0.kept } }

    /// Number of the last change.
    public var latest: UInt64 { contents.withLock { $0.latest } }

    /// How many numbers this process has given.
    public var count: UInt64 { contents.withLock { $0.count } }

    /// Changes given up since there was no room to let them wait.
    public var lost: Int { contents.withLock { $0.lost } }

    /// Changes that the file does not have yet.
    public var backlog: Int { contents.withLock { $0.writing.count + $0.waiting.count } }

    /// Why the last attempt to write failed; `nil`: it did not.
    public var problem: JournalProblem? { contents.withLock { $0.problem } }

    /// The number of the next change, which no other has, in this process or another.
    public func nextNumber() -> UInt64 { contents.withLock { $0.nextNumber() } }

    /// Above every number that was counted up to, since changes do not come every millisecond from 1970 on.
    static var clockFloor: UInt64 { UInt64(max(0, Date().timeIntervalSince1970) * 1_000) }

    /// Has changes and what is known of nodes written soon, together.
    ///
    /// - Parameters:
    ///   - records: with numbers of ``nextNumber()``, in their order.
    ///   - nodes: by id; `nil` is kept no longer.
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
        if given > 0 { note("\(given) changes of nodes' states were given up: \(path) could not be written for long") }
        start(isUrgent: false)
    }

    /// Tries again what failed some time ago; to be called now and then.
    public func retry() { start(isUrgent: false) }

    /// Returns when all that was given to ``write(_:nodes:)`` before is in the file, or cannot be: with the reason then.
    public func flush() async -> JournalProblem? {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isClosed { contents.flushing.append(continuation) }
                return !contents.isClosed
            }
            if isOpen {
                start(isUrgent: true)
            } else {
                continuation.resume(returning: JournalProblem("\(path) is closed"))
            }
        }
    }

    // MARK: - From one process to the next

    /// Writes all, and gives back the numbers that are left: a successor goes on from there. Of nodes nothing is written then
    /// until ``resume()``, and of changes only those for which there was no room.
    public func handOver() async -> JournalProblem? {
        contents.withLock { contents in
            guard !contents.isHandedOver else { return }
            contents.isHandedOver = true
            contents.surplus = contents.moreNumbers ?? contents.numbers
            (contents.numbers, contents.moreNumbers) = (0..<0, nil)
        }
        let problem = await flush()
        contents.withLock { contents in
            // Where the disk takes something again only later, what the successor says of them is younger by then.
            if contents.isHandedOver { contents.unwritten = [] }
        }
        return problem
    }

    /// The successor is gone: what this process knows of the nodes is the truth again, and numbers go on behind the
    /// successor's.
    public func resume() async -> JournalProblem? {
        contents.withLock { contents in
            contents.isHandedOver = false
            contents.unwritten.formUnion(contents.kept.keys)
        }
        return await flush()
    }

    /// Writes all, gives back numbers, and closes the file.
    public func close() async -> JournalProblem? {
        let problem = await handOver()
        contents.withLock { $0.isClosed = true }
        await store.close()
        return problem
    }

    // MARK: - Reading

    /// Changes after the one numbered `sequence`, in their order, also those that wait for the disk: at most `limit`.
    public func changes(after sequence: UInt64, limit: Int) async throws(JournalProblem) -> [NodeTransition] {
        let waiting = contents.withLock { ($0.writing + $0.waiting).filter { $0.sequence > sequence } }
        let written = try await store.records(after: sequence, limit: limit)
        let known = Set(written.map(\.sequence))
        let all = waiting.filter { !known.contains($0.sequence) } + written
        return Array(all.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    /// Changes of a node, the latest first, also those that wait for the disk.
    public func history(of node: String, limit: Int) async throws(JournalProblem) -> [NodeTransition] {
        let waiting = contents.withLock { ($0.writing + $0.waiting).filter { $0.node == node } }
        let written = try await store.records(of: node, limit: limit)
        let known = Set(written.map(\.sequence))
        let all = waiting.filter { !known.contains($0.sequence) } + written
        return Array(all.sorted { $0.sequence > $1.sequence }.prefix(limit))
    }
}
