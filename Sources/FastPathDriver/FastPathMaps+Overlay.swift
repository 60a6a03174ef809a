import BPFRuntime
import CFastPathABI
public import FastPathPlan

extension FastPathMaps {
    /// Changes of a slot since it was filled.
    struct Overlay {
        /// Tables that the overlay writes into.
        static let tables: Set<String> = ["name_buckets", "name_entries", "answers"]
        /// Cells reserved for it.
        static let room = ["name_entries": Int(NC_OVERLAY_ENTRIES), "answers": Int(NC_OVERLAY_ANSWERS)]

        var names: NameOverlay
        /// The tables of the slot, in this process's memory.
        let mapped: [String: MappedMap]
        /// The last change, until no packet reads the state before it.
        var pending: OverlayChange?
        /// The copy of the overlay words that is read once the slot is in use.
        var half: UInt32 = 0
    }

    /// Zones whose names share one set of negative replies in the tables, by their apexes in lower case.
    public var sharingZones: Set<[UInt8]> { slots[generation].image?.sharingZones ?? [] }

    /// Names changed since the generation in use was filled. Nil: none.
    public var overlay: NameOverlay? { slots[generation].overlay?.names }

    /// Changes names in the generation in use, atomically for every packet. Call `retire` next.
    ///
    /// - Returns: false when they do not fit. Answers are unchanged then, and a whole image must be published.
    public func change(_ changes: StaticChanges) throws -> Bool {
        try beginOverlay(generation)
        if slots[generation].overlay?.pending != nil { try retire() }
        guard let change = slots[generation].overlay?.names.plan(changes) else { return false }
        write(change, in: generation)
        store(change.words, in: generation)
        link(change, in: generation)
        half = change.half
        storeControl(answering: slots[generation].image?.speech.answering ?? NC_ANSWERS.rawValue)
        slots[generation].overlay?.pending = change
        return true
    }

    /// Fills the idle slot with `image`, as `fill` does, then applies changes there: the slot comes into use with them.
    ///
    /// - Returns: false when they do not fit. The slot must not come into use then.
    public func fill(
        _ image: FastPathImage, from filled: FilledTables? = nil, changing changes: StaticChanges
    ) throws -> Bool {
        try fill(image, filled, sharing: { !Overlay.tables.contains($0) })
        let idle = idleGeneration
        try beginOverlay(idle)
        guard let change = slots[idle].overlay?.names.plan(changes) else { return false }
        write(change, in: idle)
        // No packet reads the slot, so both copies get the new words.
        store(change.settled, in: idle)
        link(change, in: idle)
        slots[idle].overlay?.names.settle()
        slots[idle].overlay?.half = change.half
        return true
    }

    private func beginOverlay(_ slot: Int) throws {
        guard slots[slot].overlay == nil, let image = slots[slot].image else { return }
        var mapped: [String: MappedMap] = [:]
        for table in Overlay.tables { mapped[table] = try slots[slot].tables[table]?.memoryMap(writable: true) }
        slots[slot].overlay = Overlay(
            names: NameOverlay(image, entries: cells(of: "name_entries"), answers: cells(of: "answers")),
            mapped: mapped)
    }

    /// Cells that nothing refers to yet.
    private func write(_ change: OverlayChange, in slot: Int) {
        let mapped = slots[slot].overlay?.mapped ?? [:]
        for cells in change.cells {
            mapped[cells.table]?.withBytes { memory in
                let start = Int(cells.first) * Int(NC_CELL_BYTES)
                UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + cells.bytes.count])
                    .copyBytes(from: cells.bytes)
            }
        }
    }

    private func link(_ change: OverlayChange, in slot: Int) {
        let mapped = slots[slot].overlay?.mapped ?? [:]
        for store in change.stores { mapped[store.table]?.storeWord(at: store.index, store.value) }
    }

    private func store(_ words: [(number: Int, value: UInt64)], in slot: Int) {
        for (number, value) in words {
            overlayWords.storeWord(at: slot * Int(NC_OVERLAY_WORDS) + number, value)
        }
    }

    /// Makes both copies of the words equal, once no packet reads the other one any more.
    public func settle() {
        guard let pending = slots[generation].overlay?.pending else { return }
        store(pending.settled, in: generation)
        slots[generation].overlay?.names.settle()
        slots[generation].overlay?.pending = nil
    }
}
