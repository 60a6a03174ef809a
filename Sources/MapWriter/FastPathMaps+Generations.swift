import BPFRuntime
import CFastPathABI
public import FastPath
import Glibc
public import Serving
import Steering

extension FastPathMaps {
    /// The tables of one generation.
    struct Slot {
        /// What `tables` were filled from; nil while they are not complete.
        var image: FastPathImage?
        var tables: [String: BPFMap] = [:]
        /// What has changed since; nil: nothing.
        var overlay: Overlay?
        /// The half of the recent blocks that is its location table's.
        var recents: UInt32 = 0
    }

    /// The slot that the next generation goes to.
    public var idleGeneration: Int { 1 - generation }

    /// What the generation in use was filled from.
    public var image: FastPathImage? { slots[generation].image }

    /// Bytes of the kernel's tables by name, those that both generations share once.
    public var tableBytes: [(table: String, bytes: Int)] {
        tables.map { table, cell in
            let maps = Set(slots.compactMap { $0.tables[table]?.id })
            return (table, maps.count * cells(of: table) * cell)
        } + [("overlay", MemoryLayout<nc_overlay>.size), ("recent_blocks", recentBlocks.bytes)]
    }

    /// The first table that `image` has too many cells for; nil when it fits.
    public func excess(of image: FastPathImage) -> FastPathLimit? {
        var excess: FastPathLimit?
        image.forEachTable { table, cell, bytes in
            let capacity = capacities[table] ?? 0
            guard excess == nil, bytes.count > capacity * cell else { return }
            excess = FastPathLimit(what: "cells in table \(table)", count: bytes.count / cell, limit: capacity)
        }
        return excess
    }

    /// Fills the idle slot with `image`. Tables that are the same in the generation in use are shared with it. No packet
    /// sees anything of it before `flip`.
    ///
    /// - Throws: `FastPathLimit` when a table does not fit, and `BPFError`; the generation in use goes on then.
    public func fill(_ image: FastPathImage) throws { try fill(image, sharing: { _ in true }) }

    /// - Parameter sharing: whether a table may be that of the generation in use.
    func fill(_ image: FastPathImage, sharing: (String) -> Bool) throws {
        if let excess = excess(of: image) { throw excess }
        slots[idleGeneration].image = nil
        slots[idleGeneration].overlay = nil
        do {
            try image.forEachTable { table, cell, bytes in
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
        let idle = idleGeneration
        if mayShare, let used = slots[generation].tables[table], isInUse(bytes, in: table) {
            if slots[idle].tables[table]?.id != used.id { try map(table).setInner(at: UInt32(idle), used) }
            slots[idle].tables[table] = used
            return
        }
        let inner = try makeInner(of: table, capacity: cells(of: table))
        let mapped = try inner.memoryMap(writable: true)
        precondition(mapped.stride == cell, "cells of \(table) are \(mapped.stride) bytes apart, not \(cell)")
        mapped.withBytes { $0.copyMemory(from: bytes) }
        do { try map(table).setInner(at: UInt32(idle), inner) } catch let error as BPFError
            where error.errno == EINVAL && hasTypedCells
        {
            hasTypedCells = false
            return try fill(table, bytes, cell: cell, mayShare: mayShare)
        }
        slots[idle].tables[table] = inner
    }

    /// Gives the idle slot the recent blocks of its location table: those of the generation in use, where that has
    /// the same table, and else the other half, emptied. No packet reads or writes that half: the table of the packets
    /// that did has been replaced, and to put the new one in place has waited for them.
    private func prepareRecents() throws {
        let idle = idleGeneration
        let isShared = slots[idle].tables["locations"]?.id == slots[generation].tables["locations"]?.id
        slots[idle].recents = isShared ? slots[generation].recents : 1 - slots[generation].recents
        if !isShared { try recentBlocks.empty(half: slots[idle].recents) }
    }

    /// Whether the table of the generation in use was filled from the same bytes.
    private func isInUse(_ bytes: UnsafeRawBufferPointer, in table: String) -> Bool {
        // What was changed in place since is not the image's any more.
        if slots[generation].overlay != nil, Overlay.tables.contains(table) { return false }
        var isSame = false
        slots[generation].image?.forEachTable { name, _, other in
            guard name == table, bytes.count == other.count, let first = bytes.baseAddress,
                let second = other.baseAddress
            else { return }
            isSame = first == second || memcmp(first, second, bytes.count) == 0
        }
        return isSame
    }

    /// Makes the filled slot the one in use: for a packet, all of it or nothing. The census of that slot must be there.
    public func flip() {
        generation = idleGeneration
        half = slots[generation].overlay?.half ?? 0
        storeControl(answering: slots[generation].image?.speech.answering ?? NC_ANSWERS.rawValue)
    }

    /// Waits until no packet reads the generation, or the names, before any more, then empties what its slot does not share,
    /// and lets what was in the names' place be used again.
    public func retire() throws {
        try waitForReaders()
        settle()
        try emptyIdle()
    }

    /// Returns when every packet that was in a program at the call has left it.
    ///
    /// The kernel ends an update of an array of maps with `synchronize_rcu`, whatever was put there
    /// (maybe_wait_bpf_programs in kernel/bpf/syscall.c), and an XDP program runs inside one RCU section from its first
    /// instruction to its last. So it does to put a table where it is already.
    public func waitForReaders() throws {
        guard let (table, inner) = slots[generation].tables.first else { return }
        try map(table).setInner(at: UInt32(generation), inner)
    }

    private func emptyIdle() throws {
        let idle = idleGeneration
        slots[idle].image = nil
        slots[idle].overlay = nil
        for (table, inner) in slots[idle].tables where inner.id != slots[generation].tables[table]?.id {
            try map(table).removeInner(at: UInt32(idle))
            slots[idle].tables[table] = nil
        }
    }

    /// Fills the idle slot, writes its census, and makes it the one in use.
    ///
    /// - Parameter changes: what differs from the image by now.
    public func publish(_ image: FastPathImage, changing changes: StaticChanges? = nil) throws {
        if let changes {
            guard try fill(image, changing: changes) else {
                throw FastPathLimit(
                    what: "changes beside an image", count: changes.names.count, limit: Int(NC_OVERLAY_WORDS))
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
