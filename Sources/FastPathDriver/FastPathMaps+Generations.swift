import BPFRuntime
import CFastPathABI
public import FastPathPlan
import Glibc
import LinuxSupport
import Resolution
import Steering
import SystemPackage

extension FastPathMaps {
    /// The tables of one generation.
    struct Slot {
        /// The image that `tables` were filled from. Nil while they are incomplete.
        var image: FastPathImage?
        var tables: [String: BPFMap] = [:]
        /// Changes since then. Nil: none.
        var overlay: Overlay?
        /// The buffer of the location cache that belongs to its location table.
        var recents: UInt32 = 0
    }

    /// The slot for the next generation.
    public var idleGeneration: Int { 1 - generation }

    /// The image of the generation in use.
    public var image: FastPathImage? { slots[generation].image }

    /// Bytes of the kernel's tables by name. Tables shared by both generations count once.
    public var tableBytes: [(table: String, bytes: Int)] {
        tables.map { table, cell in
            let maps = Set(slots.compactMap { $0.tables[table]?.id })
            return (table, maps.count * cells(of: table) * cell)
        } + [("overlay", MemoryLayout<nc_overlay>.size), ("recent_blocks", recentBlocks.bytes)]
    }

    /// The first table that is too small for `image`. Nil when it fits.
    public func excess(of image: FastPathImage) -> FastPathLimit? {
        var excess: FastPathLimit?
        image.forEachTable { table, cell, bytes in
            let capacity = capacities[table] ?? 0
            guard excess == nil, bytes.count > capacity * cell else { return }
            excess = FastPathLimit(what: "cells in table \(table)", count: bytes.count / cell, limit: capacity)
        }
        return excess
    }

    /// Fills the idle slot with `image`. Tables equal to those of the generation in use are shared with it. No packet
    /// sees any of it before `flip`.
    ///
    /// - Throws: `FastPathLimit` when a table does not fit, and `SystemError`. The generation in use is not affected.
    public func fill(_ image: FastPathImage, from filled: FilledTables? = nil) throws {
        try fill(image, filled, sharing: { _ in true })
    }

    /// - Parameters:
    ///   - filled: tables of the same image that were built in advance.
    ///   - sharing: whether a table may be shared with the generation in use.
    func fill(_ image: FastPathImage, _ filled: FilledTables?, sharing: (String) -> Bool) throws {
        if let excess = excess(of: image) { throw excess }
        let ready = filled.map { $0.path == path ? $0.tables : [:] } ?? [:]
        slots[idleGeneration].image = nil
        slots[idleGeneration].overlay = nil
        do {
            try nodeAnswers.assign(image.model.steering.nodes)
            try image.forEachTable { table, cell, bytes in
                if let inner = ready[table] { return try put(inner, in: table) }
                try fill(table, bytes, cell: cell, mayShare: sharing(table))
            }
            try prepareRecents()
            var record = image.generation
            record.recents = slots[idleGeneration].recents
            try withUnsafeBytes(of: record) {
                try map("generations").update(index: UInt32(idleGeneration), value: Array($0))
            }
            try withUnsafeBytes(of: image.speech.record) {
                try map("protocols").update(index: UInt32(idleGeneration), value: Array($0))
            }
        } catch {
            try? emptyIdle()
            throw error
        }
        slots[idleGeneration].image = image
    }

    private func fill(_ table: String, _ bytes: UnsafeRawBufferPointer, cell: Int, mayShare: Bool) throws {
        if mayShare, let used = slots[generation].tables[table], isInUse(bytes, in: table) {
            return try put(used, in: table)
        }
        let inner = try Self.makeTable(innerShape(of: table), cells: cells(of: table), of: cell, from: bytes)
        do { try put(inner, in: table) } catch let error as SystemError
            where error.errno == .invalidArgument && hasTypedCells
        {
            hasTypedCells = false
            return try fill(table, bytes, cell: cell, mayShare: mayShare)
        }
    }

    /// Makes a map the idle slot's table.
    private func put(_ inner: BPFMap, in table: String) throws {
        let idle = idleGeneration
        if slots[idle].tables[table]?.id != inner.id { try map(table).setInner(at: UInt32(idle), inner) }
        slots[idle].tables[table] = inner
    }

    /// Chooses the location cache of the idle slot: that of the generation in use if both have the same location table,
    /// otherwise the other buffer, emptied. No packet reads or writes that buffer: the table of the packets that did
    /// has been replaced, and the replacement waited for them.
    private func prepareRecents() throws {
        let idle = idleGeneration
        let isShared = slots[idle].tables["locations"]?.id == slots[generation].tables["locations"]?.id
        slots[idle].recents = isShared ? slots[generation].recents : 1 - slots[generation].recents
        if !isShared { try recentBlocks.empty(half: slots[idle].recents) }
    }

    /// Whether the table of the generation in use was filled from the same bytes.
    private func isInUse(_ bytes: UnsafeRawBufferPointer, in table: String) -> Bool {
        // A table changed in place no longer matches its image.
        if slots[generation].overlay != nil, Overlay.tables.contains(table) { return false }
        return slots[generation].image?.has(bytes, in: table) ?? false
    }

    /// Makes the filled slot the one in use, atomically for every packet. The census of that slot must be written.
    public func flip() {
        generation = idleGeneration
        half = slots[generation].overlay?.half ?? 0
        storeControl(answering: slots[generation].image?.speech.answering ?? NC_ANSWERS.rawValue)
    }

    /// Waits until no packet reads the previous generation or names any more. Then it empties what the previous slot
    /// does not share, and releases the cells of replaced names.
    public func retire() throws {
        try readers?.wait()
        settle()
        try emptyIdle()
    }

    private func emptyIdle() throws { try leaveIdle()?.free() }

    /// Fills the idle slot, writes its census, and makes it the one in use.
    ///
    /// - Parameter changes: names that differ from the image by now.
    public func publish(_ image: FastPathImage, changing changes: StaticChanges? = nil) throws {
        if let changes {
            guard try fill(image, changing: changes) else {
                throw FastPathLimit(
                    what: "changes on top of an image", count: changes.names.count, limit: Int(NC_OVERLAY_WORDS))
            }
        } else {
            try fill(image)
        }
        let steering = image.model.steering
        for node in steering.nodes { words.storeIDHash(node.slot, node.idHash) }
        for table in steering.tables.indices {
            words.storeCensus(
                generation: idleGeneration, table: table, steering.census(of: table, word: words.word))
        }
        flip()
        try retire()
    }
}
