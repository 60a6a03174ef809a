import ManagementTypes
import Synchronization

/// The latest changes of nodes' states, and those who wait for the next.
///
/// Sendable: what changes is behind the mutex.
final class TransitionLog: Sendable {
    /// Changes at hand.
    private static let maximumRecent = 4_096

    private struct Contents {
        var latest: UInt64
        var recent: [TransitionReport] = []
        /// Number of the last change that is not among them.
        var forgotten: UInt64
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiting = 0
        var isClosed = false
    }

    private let contents: Mutex<Contents>

    /// - Parameter latest: number of the last change of an earlier process.
    init(after latest: UInt64) { contents = Mutex(Contents(latest: latest, forgotten: latest)) }

    /// Number of the last change.
    var latest: UInt64 { contents.withLock { $0.latest } }

    /// - Parameter transitions: not none, with growing numbers.
    func add(_ transitions: [TransitionReport]) {
        let waiting = contents.withLock { contents in
            contents.latest = transitions.last?.sequence ?? contents.latest
            contents.recent += transitions
            // By quarters, so that not every change moves all.
            let excess = contents.recent.count - Self.maximumRecent
            if excess > 0 {
                let old = contents.recent.prefix(excess + Self.maximumRecent / 4)
                contents.forgotten = old.last?.sequence ?? contents.forgotten
                contents.recent.removeFirst(old.count)
            }
            defer { contents.waiting = [:] }
            return contents.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// All changes after the one numbered `sequence`; `nil`: some of them are in the journal alone.
    func recent(after sequence: UInt64) -> [TransitionReport]? {
        contents.withLock { contents in
            sequence < contents.forgotten ? nil : contents.recent.filter { $0.sequence > sequence }
        }
    }

    // MARK: - Waiting

    /// Returns when there are changes after the one numbered `sequence`, or after `seconds`, or at the end.
    func wait(after sequence: UInt64, seconds: Int) async {
        let ticket = contents.withLock { contents in
            contents.nextWaiting += 1
            return contents.nextWaiting
        }
        let limit = Task {
            try? await Task.sleep(for: .seconds(seconds))
            self.wake(ticket)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = contents.withLock { contents in
                    if contents.latest <= sequence, !contents.isClosed, !Task.isCancelled {
                        contents.waiting[ticket] = continuation
                    }
                    return contents.waiting[ticket] == nil
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake(ticket)
        }
        limit.cancel()
    }

    private func wake(_ ticket: Int) {
        contents.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }

    /// Nobody waits any more.
    func close() {
        let waiting = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.waiting = [:] }
            return contents.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }
}
