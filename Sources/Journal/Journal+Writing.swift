import StateStore
import Synchronization

/// Writes waiting changes to the file, in one task at a time.
extension Journal {
    /// - Parameter isUrgent: a caller waits: try now, even after a recent failure.
    func start(isUrgent: Bool) {
        let isDue = contents.withLock { contents in
            guard !contents.isWriting, !contents.isClosed else { return false }
            if !isUrgent {
                guard contents.hasWork, contents.retryAt.map({ ContinuousClock.now >= $0 }) ?? true else {
                    return false
                }
            }
            contents.isWriting = true
            return true
        }
        if isDue { Task { await run() } }
    }

    private func run() async {
        var isFirst = true
        while let (batch, waiters) = next(isFirst: isFirst) {
            isFirst = false
            var problem: JournalProblem?
            do throws(JournalProblem) {
                switch try await store.write(batch) {
                case .written(let numbers): written(batch, numbers)
                case .replaced(let why):
                    note(why)
                    writeAll(batch, waiters)
                    continue
                }
            } catch {
                problem = error
                failed(batch, error)
            }
            for waiter in waiters { waiter.resume(returning: problem) }
        }
        // A write that found another file had put its callers back.
        if contents.withLock({ $0.isClosed }) { answerLate() }
    }

    /// What to write, and the callers that wait for it. `nil`: there is nothing, and the writing task ends.
    private func next(isFirst: Bool) -> (Disk.Batch, [CheckedContinuation<JournalProblem?, Never>])? {
        contents.withLock { contents in
            let isWanted = !contents.flushing.isEmpty
            guard !contents.isClosed, isWanted || (contents.hasWork && (isFirst || contents.problem == nil)) else {
                contents.isWriting = false
                return nil
            }
            (contents.writing, contents.waiting) = (contents.waiting, [])
            var batch = Disk.Batch(records: contents.writing, floor: contents.floor)
            for id in contents.unwritten { batch.nodes[id] = .some(contents.kept[id]) }
            contents.unwritten = []
            batch.rrsets = contents.rrsets.take()
            batch.surplus = contents.surplus
            if contents.needsNumbers { batch.numbers = Self.numbersAtOnce }
            contents.sincePruned += batch.records.count + batch.rrsets.history.count
            if contents.sincePruned >= Self.pruneInterval { batch.limit = limit }
            defer { contents.flushing = [] }
            return (batch, contents.flushing)
        }
    }

    /// Queues all known state: the file is a new one.
    private func writeAll(_ batch: Disk.Batch, _ waiters: [CheckedContinuation<JournalProblem?, Never>]) {
        contents.withLock { contents in
            contents.waiting = contents.writing + contents.waiting
            contents.writing = []
            contents.unwritten.formUnion(contents.kept.keys)
            contents.rrsets.giveBack(batch.rrsets)
            contents.rrsets.writeAll()
            contents.flushing = waiters + contents.flushing
            contents.moreNumbers = nil
            contents.isNumbered = false
        }
    }

    private func written(_ batch: Disk.Batch, _ numbers: Range<UInt64>?) {
        let before = contents.withLock { contents in
            defer { (contents.problem, contents.retryAt) = (nil, nil) }
            contents.writing = []
            if batch.limit != nil { contents.sincePruned = 0 }
            if batch.surplus != nil { contents.surplus = nil }
            if let numbers { contents.take(numbers) }
            return contents.problem
        }
        if before != nil { note(JournalNote(.writable, "\(path) can be written again")) }
    }

    private func failed(_ batch: Disk.Batch, _ problem: JournalProblem) {
        let before = contents.withLock { contents in
            contents.waiting = contents.writing + contents.waiting
            contents.writing = []
            contents.unwritten.formUnion(batch.nodes.keys)
            contents.rrsets.giveBack(batch.rrsets)
            contents.retryAt = .now + Self.retryInterval
            defer { contents.problem = problem }
            return contents.problem
        }
        if before != problem { note(.notWritable(problem)) }
    }
}
