public import BPFRuntime
import CFastPathABI
public import FastPath
import FastPathObject
import Location
import Serving
public import Steering

/// The loaded program and its maps, pinned in a folder of their own.
///
/// Used by one owner at a time (the daemon's actor); words and counters may be reached from anywhere.
public final class FastPathMaps {
    public let program: BPFProgram
    /// The words that health writes and both paths read.
    public let words: NodeWords
    /// Where this and earlier programs are pinned.
    let pins: PinnedFastPath
    private let folder: PinnedFastPath.Folder
    private let object: BPFObject
    private let control: MappedMap
    private let counters: BPFMap
    /// The slot in use, 0 or 1.
    public private(set) var generation = 1
    /// Bytes of each table of the generation in use, by name.
    public private(set) var tableBytes: [(table: String, bytes: Int)] = []

    public var path: String { folder.path }

    /// Loads the program and pins it with its maps. On failure nothing stays pinned.
    ///
    /// - Throws: `BPFError` with the call that failed, and the verifier's last words.
    public init(pins: PinnedFastPath = .standard) throws {
        self.pins = pins
        try BPFFileSystem.ensureMounted()
        try BPFFileSystem.makeDirectory(pins.root)
        let last = try pins.folders().map(\.number).max() ?? 0
        folder = PinnedFastPath.Folder(root: pins.root, layout: Int(NC_LAYOUT_VERSION), number: last + 1)
        object = try BPFObject(bytes: FastPathObject.bytes, name: "nearcast")
        try object.load()
        program = try object.program("nearcast")
        counters = try object.map("counters")
        control = try object.map(".data.control").memoryMap(writable: true)
        let mapped = try object.map(".data.words").memoryMap(writable: true)
        words = NodeWords(memory: mapped.base, keeper: mapped)
        try pin()
    }

    private func pin() throws {
        try BPFFileSystem.makeDirectory(folder.path)
        do {
            for name in object.mapNames where !name.hasSuffix("_empty") && !name.hasPrefix(".rodata") {
                try object.map(name).pin("\(folder.path)/\(Self.pinName(name))")
            }
            try program.pin("\(folder.path)/program")
        } catch {
            try? BPFFileSystem.removeTree(folder.path)
            throw error
        }
    }

    /// A map's file: its name, and for sections of global memory what they hold.
    private static func pinName(_ name: String) -> String {
        switch name {
        case ".data.words": "node_words"
        case ".data.control": "control"
        default: name
        }
    }

    /// Takes the words of nodes known here too from an earlier program of the same layout, so that a restart
    /// changes no node's state. Nodes are recognised by the hash of their id.
    ///
    /// - Returns: id hash → word.
    public static func earlierWords(pins: PinnedFastPath = .standard) throws -> [UInt64: UInt64] {
        guard let folder = try pins.folders().last(where: { $0.layout == Int(NC_LAYOUT_VERSION) }) else {
            return [:]
        }
        let map = try BPFMap.openPinned("\(folder.path)/node_words")
        guard let bytes = try map.lookup(index: 0), bytes.count >= NodeWords.byteCount else { return [:] }
        var words: [UInt64: UInt64] = [:]
        bytes.withUnsafeBytes { bytes in
            for slot in 0..<Int(NC_MAX_NODES) {
                let word = bytes.loadUnaligned(fromByteOffset: 8 * slot, as: UInt64.self)
                let hash = bytes.loadUnaligned(fromByteOffset: 8 * (Int(NC_MAX_NODES) + slot), as: UInt64.self)
                if hash != 0 { words[hash] = word }
            }
        }
        return words
    }

    /// Fills the idle slot with `image` and makes it the one in use: for a packet, all of it or nothing.
    public func publish(_ image: FastPathImage) throws {
        let idle = 1 - generation
        let model = image.model
        let location = model.location.bytes
        let classes = model.steering.classes.bytes
        let lists = model.steering.lists.bytes
        tableBytes = []
        try fill("locations", location, cell: MemoryLayout<nc_location_words>.stride, slot: idle)
        try image.nameBuckets.withUnsafeBytes {
            try fill("name_buckets", $0, cell: MemoryLayout<nc_name_bucket>.stride, slot: idle)
        }
        try image.nameEntries.withUnsafeBytes {
            try fill("name_entries", $0, cell: MemoryLayout<nc_name_entry>.stride, slot: idle)
        }
        try fill("place_classes", classes, cell: MemoryLayout<nc_class_cell>.stride, slot: idle)
        try fill("lists", lists, cell: MemoryLayout<nc_list>.stride, slot: idle)
        try image.nodes.withUnsafeBytes { try fill("nodes", $0, cell: MemoryLayout<nc_node>.stride, slot: idle) }
        for node in model.steering.nodes { words.storeIDHash(node.slot, node.idHash) }
        for table in model.steering.tables.indices {
            words.storeCensus(
                generation: idle, table: table, model.steering.census(of: table, word: words.word))
        }
        try withUnsafeBytes(of: image.generation) {
            try object.map("generations").update(index: UInt32(idle), value: Array($0))
        }
        generation = idle
        storeControl(answering: true)
    }

    /// Both halves of the control word in one store.
    private func storeControl(answering: Bool) {
        control.storeWord(at: 0, UInt64(generation) | (answering ? 1 << 32 : 0))
    }

    /// Makes a map of the cells and puts it into `slot` of the table.
    private func fill(_ table: String, _ bytes: UnsafeRawBufferPointer, cell: Int, slot: Int) throws {
        let inner = try BPFMap.create(like: object.map("\(table)_empty"), maxEntries: max(bytes.count / cell, 1))
        let mapped = try inner.memoryMap(writable: true)
        mapped.withBytes { target in
            if mapped.stride == cell { target.copyMemory(from: bytes) }
        }
        if mapped.stride != cell { try inner.updateBatch(values: bytes) }
        try object.map(table).setInner(at: UInt32(slot), inner)
        tableBytes.append((table, bytes.count))
    }

    /// Every counter, summed over the CPUs, in the order of `FastPathCounter.names`.
    public func readCounters() throws -> [UInt64] {
        try Self.readCounters(counters)
    }

    public static func readCounters(_ map: BPFMap) throws -> [UInt64] {
        try FastPathCounter.names.indices.map { index in
            try map.lookupPerCPU(index: UInt32(index)).reduce(0) { sum, bytes in
                sum &+ bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            }
        }
    }

    public var countersMap: BPFMap { counters }

    /// Removes the folders of earlier programs, once no interface runs them any more.
    public func removeEarlier() throws {
        for other in try pins.folders() where other != folder { try BPFFileSystem.removeTree(other.path) }
    }

    /// Unpins this program and its maps.
    public func unpin() throws { try BPFFileSystem.removeTree(folder.path) }
}
