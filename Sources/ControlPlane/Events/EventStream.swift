import Foundation
import Synchronization

/// Every event of the daemon, in one sequence.
///
///     append ──► number ──► subscribers, in order (journal, log)
///                  │
///                  └──► recent events ──► readers that ask for the events after a number, and wait
///
/// Subscribers run inside `append`, one call at a time. They must neither block nor append events themselves.
package final class EventStream: Sendable {
    /// The most events in memory. The journal has earlier ones, if it stores their kind.
    fileprivate static let maximumRecent = 4_096

    package typealias Subscriber = @Sendable ([Event]) -> Void

    fileprivate struct Contents {
        var latest: UInt64
        var recent: [Event] = []
        /// Number of the last event that is no longer in memory.
        var forgotten: UInt64
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextTicket = 0
        var isClosed = false
    }

    private let contents: Mutex<Contents>
    /// Held while events are numbered and handed out, so that every subscriber sees them in one order.
    private let order = Mutex(())
    private let nextNumber: @Sendable () -> UInt64
    private let subscribers: [Subscriber]

    /// - Parameters:
    ///   - latest: number of the last event of an earlier process.
    ///   - nextNumber: gives a number above all before.
    package init(
        after latest: UInt64, numbers nextNumber: @escaping @Sendable () -> UInt64, to subscribers: [Subscriber]
    ) {
        contents = Mutex(Contents(latest: latest, forgotten: latest))
        self.nextNumber = nextNumber
        self.subscribers = subscribers
    }

    /// Number of the last event.
    package var latest: UInt64 { contents.withLock { $0.latest } }

    package var isClosed: Bool { contents.withLock { $0.isClosed } }

    package func append(_ kind: Event.Kind) { append([kind]) }

    package func append(_ kinds: [Event.Kind]) {
        guard !kinds.isEmpty else { return }
        let now = Date()
        order.withLock { _ in
            let events = kinds.map { Event(sequence: nextNumber(), time: now, kind: $0) }
            for subscriber in subscribers { subscriber(events) }
            let waiting = contents.withLock { contents in
                contents.add(events)
                defer { contents.waiting = [:] }
                return Array(contents.waiting.values)
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// All events after the one numbered `sequence`; `nil` if some of them are no longer in memory.
    package func recent(after sequence: UInt64) -> [Event]? {
        contents.withLock { contents in
            guard sequence >= contents.forgotten else { return nil }
            // From the end: most readers lack only the latest.
            let known = contents.recent.lastIndex { $0.sequence <= sequence }
            return Array(contents.recent[(known.map { $0 + 1 } ?? 0)...])
        }
    }

    /// Another process has numbered events since: those before the next number are in the store alone, and readers look
    /// there.
    package func forget() {
        let waiting = order.withLock { _ in
            let number = nextNumber()
            return contents.withLock { contents in
                contents.recent = []
                (contents.latest, contents.forgotten) = (number, number)
                defer { contents.waiting = [:] }
                return Array(contents.waiting.values)
            }
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: - Waiting

    /// Returns when there are events after the one numbered `sequence`, at the deadline, or at the end.
    package func wait(after sequence: UInt64, until deadline: ContinuousClock.Instant) async {
        let ticket = contents.withLock { contents in
            contents.nextTicket += 1
            return contents.nextTicket
        }
        let limit = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            self.wake(ticket)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = contents.withLock { contents in
                    guard contents.latest <= sequence, !contents.isClosed, !Task.isCancelled, deadline > .now else {
                        return false
                    }
                    contents.waiting[ticket] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            wake(ticket)
        }
        limit.cancel()
    }

    private func wake(_ ticket: Int) {
        contents.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }

    /// Ends all waiting, now and later.
    package func close() {
        let waiting = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.waiting = [:] }
            return Array(contents.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension EventStream.Contents {
    fileprivate mutating func add(_ events: [Event]) {
        latest = events.last?.sequence ?? latest
        recent += events
        // By quarters, so that not every event moves all.
        let excess = recent.count - EventStream.maximumRecent
        guard excess > 0 else { return }
        let old = recent.prefix(excess + EventStream.maximumRecent / 4)
        forgotten = old.last?.sequence ?? forgotten
        recent.removeFirst(old.count)
    }
}
