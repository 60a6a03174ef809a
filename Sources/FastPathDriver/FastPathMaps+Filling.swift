import BPFRuntime
public import FastPathPlan
import Glibc

/// Builds the tables of an image while others are in use. This is the expensive part of a publication, and runs on any
/// thread.
///
///     filling ──► make: maps, cells ──► fill(from:): into the idle slot ──► flip
///     (owner)      (any thread)                       (owner)              (owner)
extension FastPathMaps {
    /// Tables in maps that are in no slot yet.
    public struct FilledTables: Sendable {
        /// The program whose maps they fit.
        let path: String
        let tables: [String: BPFMap]
    }

    /// What to build for an image, and what can be reused.
    public struct Filling: Sendable {
        fileprivate let path: String
        fileprivate let image: FastPathImage
        fileprivate let shapes: [String: (shape: BPFMap.Shape, cells: Int)]
        /// In use, with the maps that are not changed in place.
        fileprivate let used: (image: FastPathImage, tables: [String: BPFMap])?

        /// Builds the tables. Tables equal to those of the generation in use, and unchanged there, reuse its maps.
        public func make() throws -> FilledTables {
            var tables: [String: BPFMap] = [:]
            try image.forEachTable { table, cell, bytes in
                guard let wanted = shapes[table] else { return }
                if let inner = used?.tables[table], used?.image.has(bytes, in: table) == true {
                    tables[table] = inner
                } else {
                    tables[table] = try makeTable(wanted.shape, cells: wanted.cells, of: cell, from: bytes)
                }
            }
            return FilledTables(path: path, tables: tables)
        }
    }

    /// Prepares the tables of `image` alongside those in use.
    ///
    /// - Throws: `FastPathLimit` when a table does not fit.
    public func filling(of image: FastPathImage) throws -> Filling {
        if let excess = excess(of: image) { throw excess }
        var shapes: [String: (shape: BPFMap.Shape, cells: Int)] = [:]
        for (table, _) in tables { shapes[table] = (try innerShape(of: table), cells(of: table)) }
        let slot = slots[generation]
        return Filling(
            path: path, image: image, shapes: shapes,
            used: slot.image.map { ($0, slot.tables.filter { !Overlay.tables.contains($0.key) }) })
    }

    /// A map with the cells of a table.
    static func makeTable(
        _ shape: BPFMap.Shape, cells: Int, of cell: Int, from bytes: UnsafeRawBufferPointer
    ) throws -> BPFMap {
        let inner = try shape.create(maxEntries: cells)
        let mapped = try inner.memoryMap(writable: true)
        precondition(mapped.stride == cell, "cells of \(inner.name) are \(mapped.stride) bytes apart, not \(cell)")
        mapped.withBytes { $0.copyMemory(from: bytes) }
        return inner
    }

    /// A wait for packets, for use on any thread.
    public struct Readers: Sendable {
        fileprivate let outer: BPFMap
        fileprivate let slot: UInt32
        fileprivate let inner: BPFMap

        /// Returns when every packet that was in a program at the call has left it.
        ///
        /// The kernel ends every update of an array of maps with `synchronize_rcu` (maybe_wait_bpf_programs in
        /// kernel/bpf/syscall.c), and an XDP program runs inside one RCU section from its first instruction to its
        /// last. So it is enough to put a table where it is already.
        public func wait() throws { try outer.setInner(at: slot, inner) }
    }

    /// The tables of the generation in use. Nil before there is one.
    public var readers: Readers? {
        guard let (table, inner) = slots[generation].tables.first, let outer = try? map(table) else { return nil }
        return Readers(outer: outer, slot: UInt32(generation), inner: inner)
    }

    /// The tables that only the idle slot had. They are large, and freed on any thread before the slot is filled again.
    public struct Leaving: Sendable {
        fileprivate let slot: UInt32
        fileprivate let image: FastPathImage?
        fileprivate let overlay: Overlay?
        fileprivate let tables: [(outer: BPFMap, inner: BPFMap)]

        public func free() throws { for (outer, _) in tables { try outer.removeInner(at: slot) } }
    }

    /// Removes from the idle slot what it does not share. Nil: nothing.
    public func leaveIdle() throws -> Leaving? {
        let idle = idleGeneration
        let own = slots[idle].tables.filter { $0.value.id != slots[generation].tables[$0.key]?.id }
        let leaving = Leaving(
            slot: UInt32(idle), image: slots[idle].image, overlay: slots[idle].overlay,
            tables: try own.map { (try map($0.key), $0.value) })
        slots[idle].image = nil
        slots[idle].overlay = nil
        for table in own.keys { slots[idle].tables[table] = nil }
        return own.isEmpty && leaving.image == nil ? nil : leaving
    }
}

extension FastPathImage {
    /// Whether a table has the same bytes.
    func has(_ bytes: UnsafeRawBufferPointer, in table: String) -> Bool {
        var isSame = false
        forEachTable { name, _, other in
            guard name == table, bytes.count == other.count, let first = bytes.baseAddress,
                let second = other.baseAddress
            else { return }
            isSame = first == second || memcmp(first, second, bytes.count) == 0
        }
        return isSame
    }
}
