public import StateStore
import Synchronization

/// Record changes: a change that was confirmed is in the file.
extension Journal {
    /// The record changes, and those not yet written.
    struct RRsetContents {
        var kept = KeptRRsets()
        var unwritten: Set<KeptRRsetKey> = []
        var unwrittenSerials: Set<[UInt8]> = []
        /// What the history on disk is to get, and to lose.
        var history: [KeptRecordChange] = []
        var struck: Set<UInt64> = []

        var hasWork: Bool {
            !unwritten.isEmpty || !unwrittenSerials.isEmpty || !history.isEmpty || !struck.isEmpty
        }

        /// Makes a change. Returns the change that undoes it.
        mutating func make(_ change: KeptRRsetsChange) -> KeptRRsetsChange {
            var before = KeptRRsetsChange()
            for (key, set) in change.sets {
                before.sets[key] = .some(kept.sets[key])
                kept.sets[key] = set
                unwritten.insert(key)
            }
            for (zone, serial) in change.serials {
                before.serials[zone] = .some(kept.serials[zone])
                kept.serials[zone] = serial
                unwrittenSerials.insert(zone)
            }
            strike(change.struck)
            history += change.history
            before.struck = Set(change.history.map(\.number))
            return before
        }

        /// Takes changes out of the history, on disk and on the way there.
        private mutating func strike(_ numbers: Set<UInt64>) {
            guard !numbers.isEmpty else { return }
            struck.formUnion(numbers)
            history.removeAll { numbers.contains($0.number) }
        }

        /// What has to be written now.
        mutating func take() -> KeptRRsetsChange {
            var change = KeptRRsetsChange()
            for key in unwritten { change.sets[key] = .some(kept.sets[key]) }
            for zone in unwrittenSerials { change.serials[zone] = .some(kept.serials[zone]) }
            (change.history, change.struck) = (history, struck)
            (unwritten, unwrittenSerials, history, struck) = ([], [], [], [])
            return change
        }

        /// The write has failed.
        mutating func giveBack(_ change: KeptRRsetsChange) {
            unwritten.formUnion(change.sets.keys)
            unwrittenSerials.formUnion(change.serials.keys)
            history = change.history.filter { !struck.contains($0.number) } + history
            struck.formUnion(change.struck)
        }

        /// The file is a new one.
        mutating func writeAll() {
            unwritten.formUnion(kept.sets.keys)
            unwrittenSerials.formUnion(kept.serials.keys)
        }
    }

    /// All record changes.
    public var rrsets: KeptRRsets { contents.withLock { $0.rrsets.kept } }

    /// Returns when the change is in the file.
    ///
    /// - Returns: why it could not be written. The former state is kept then.
    public func keep(_ change: KeptRRsetsChange) async -> JournalProblem? {
        guard !change.isEmpty else { return nil }
        let before = contents.withLock { $0.rrsets.make(change) }
        guard let problem = await flush() else { return nil }
        contents.withLock { _ = $0.rrsets.make(before) }
        return problem
    }

    /// Changes of records, the latest first; those of one request in the order in which they were made. A change is on disk
    /// before a packet sees it.
    public func recordHistory(_ query: RecordHistoryQuery) async throws(JournalProblem) -> [KeptRecordChange] {
        try await store.recordHistory(query)
    }

    /// Reads the record changes from the file in a state folder, without changing anything. Empty if there is no file.
    ///
    /// - Throws: when the file is of a later version, or is unreadable but not damaged.
    public static func peekRRsets(folder: String) throws(JournalProblem) -> KeptRRsets {
        try read(path(in: folder)).rrsets
    }
}
