import Synchronization

/// Reports that wait for their single consumer. Memory is bounded: when many wait, only the latest of each check is
/// kept.
///
///     transports ──► add ──► pending ──► iterator (one)
///                     └── bell ─────────────▲
public final class ReportQueue: AsyncSequence, Sendable {
    private let pending = Mutex(PendingReports())
    /// Counts all reports, also those that are superseded.
    let tally = ProbeTally()
    private let bell: (waits: AsyncStream<Void>, rings: AsyncStream<Void>.Continuation)

    init() {
        let (waits, rings) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        bell = (waits, rings)
    }

    /// May be called on any thread.
    func add(_ reports: [ProbeReport]) {
        tally.count(reports)
        pending.withLock { $0.add(reports) }
        bell.rings.yield()
    }

    /// Ends the sequence.
    func close() { bell.rings.finish() }

    /// Reports dropped because their check had a later one.
    var superseded: UInt64 { pending.withLock { $0.superseded } }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: ReportQueue
        fileprivate var bell: AsyncStream<Void>.Iterator

        public mutating func next() async -> [ProbeReport]? {
            while await bell.next() != nil {
                let reports = queue.pending.withLock { $0.take() }
                if !reports.isEmpty { return reports }
            }
            return nil
        }
    }

    /// For a single task.
    public func makeAsyncIterator() -> Iterator { Iterator(queue: self, bell: bell.waits.makeAsyncIterator()) }
}

/// The storage of a ``ReportQueue``.
package struct PendingReports {
    /// From this many reports on, superseded ones are dropped.
    package static let least = 4_096

    private var reports: [ProbeReport] = []
    private var limit = Self.least
    package private(set) var superseded: UInt64 = 0

    package init() {}

    package var count: Int { reports.count }

    package mutating func add(_ more: [ProbeReport]) {
        reports += more
        guard reports.count > limit else { return }
        var seen: Set<ProbeScheduler.Key> = []
        let latest = reports.reversed().filter {
            seen.insert(ProbeScheduler.Key(node: $0.node, check: $0.check)).inserted
        }
        superseded += UInt64(reports.count - latest.count)
        reports = latest.reversed()
        // Each report is examined twice on average, however long the consumer stalls.
        limit = max(Self.least, 2 * latest.count)
    }

    /// In the order of arrival.
    package mutating func take() -> [ProbeReport] {
        defer { (reports, limit) = ([], Self.least) }
        return reports
    }
}
