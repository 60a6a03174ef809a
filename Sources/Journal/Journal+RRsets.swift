public import StateStore
import Synchronization

/// Changes of single RRsets: what somebody was told that it is kept is in the file.
extension Journal {
    /// What is kept, and what of it the file does not have.
    struct RRsetContents {
        var kept = KeptRRsets()
        var unwritten: Set<KeptRRsetKey> = []
        var unwrittenSerials: Set<[UInt8]> = []

        var hasWork: Bool { !unwritten.isEmpty || !unwrittenSerials.isEmpty }

        /// Makes a change, and gives what takes it back.
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
            return before
        }

        /// What is to be written now.
        mutating func take() -> KeptRRsetsChange {
            var change = KeptRRsetsChange()
            for key in unwritten { change.sets[key] = .some(kept.sets[key]) }
            for zone in unwrittenSerials { change.serials[zone] = .some(kept.serials[zone]) }
            (unwritten, unwrittenSerials) = ([], [])
            return change
        }

        /// It was not written.
        mutating func giveBack(_ change: KeptRRsetsChange) {
            unwritten.formUnion(change.sets.keys)
            unwrittenSerials.formUnion(change.serials.keys)
        }

        /// The file is a new one.
        mutating func writeAll() {
            unwritten.formUnion(kept.sets.keys)
            unwrittenSerials.formUnion(kept.serials.keys)
        }
    }

    /// All RRsets that were changed by themselves.
    public var rrsets: KeptRRsets { contents.withLock { $0.rrsets.kept } }

    /// Returns when the change is in the file.
    ///
    /// - Returns: why it could not be written; then what was kept before is kept on.
    public func keep(_ change: KeptRRsetsChange) async -> JournalProblem? {
        guard !change.isEmpty else { return nil }
        let before = contents.withLock { $0.rrsets.make(change) }
        guard let problem = await flush() else { return nil }
        contents.withLock { _ = $0.rrsets.make(before) }
        return problem
    }

    /// What the file in a state folder has kept, without changing anything; nothing where there is no file.
    ///
    /// - Throws: when the file is of a later version, or nothing can be read of it and it is not damaged either.
    public static func peekRRsets(folder: String) throws(JournalProblem) -> KeptRRsets {
        try read(path(in: folder)).rrsets
    }
}
