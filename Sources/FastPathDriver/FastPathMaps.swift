public import BPFRuntime
import CFastPathABI
public import FastPathObject
public import FastPathPlan
import Glibc
public import Resolution
public import Steering

/// The loaded program and its maps, pinned in their own folder.
///
/// Used by one owner at a time (the daemon's actor). Words and counters may be accessed from anywhere.
public final class FastPathMaps {
    public let program: BPFProgram
    /// The tail-called program for answers from recipes. The map that leads to it is pinned with it: without a
    /// reference from user space the kernel would empty it.
    public let recordsProgram: BPFProgram
    /// The words that health writes and both paths read.
    public let words: NodeWords
    /// The rate-limit buckets, in which both paths count.
    public let rateBuckets: RateBuckets
    /// Where this and earlier programs are pinned.
    let pins: PinnedFastPath
    let folder: PinnedFastPath.Folder
    private let object: BPFObject
    private let control: MappedMap
    private let clock: MappedMap
    let counters: BPFMap
    var nodeAnswers: NodeAnswers
    let bucketsMap: BPFMap
    let recentBlocks: RecentBlocks
    let wordsMap: BPFMap
    /// The slot in use, 0 or 1.
    public internal(set) var generation = 1
    /// The copy of the overlay words in use.
    var half: UInt32 = 0
    let overlayWords: MappedMap
    let station: Station
    /// The content of each slot.
    var slots = [Slot(), Slot()]

    public var path: String { folder.path }

    /// Whether inner maps carry BTF types, from which `bpftool` shows their fields. Linux 6.1 rejects a typed inner
    /// map, since the outer map was created with an untyped one.
    var hasTypedCells = true
    /// Cells for images in each table's maps. Both generations have the same size.
    let capacities: [String: Int]

    /// Cells of a table's maps, including those for the overlay.
    func cells(of table: String) -> Int { (capacities[table] ?? 0) + (Overlay.room[table] ?? 0) }
    /// Every table, with its cell size in bytes.
    let tables: [(table: String, cell: Int)]

    /// Loads the program and pins it with its maps, sized for `image` with an eighth to spare. After a failure nothing
    /// stays pinned.
    ///
    /// - Parameter adopted: the state of the program to be replaced. Both then share the node words, so that a change of a
    ///   node reaches both, and the counters, which continue. Publishing uses the slot after the earlier program's: in
    ///   the shared words each slot has its own census.
    /// - Parameter bytes: the program's object.
    /// - Throws: `SystemError` with the failed call and the verifier's last lines.
    public init(
        sizedFor image: FastPathImage, adopting adopted: AdoptableState? = nil, pins: PinnedFastPath = .standard,
        object bytes: [UInt8] = FastPathObject.bytes
    ) throws {
        self.pins = pins
        try BPFFileSystem.ensureMounted()
        try BPFFileSystem.makeDirectory(pins.root)
        let last = try pins.folders().map(\.number).max() ?? 0
        folder = PinnedFastPath.Folder(root: pins.root, layout: Int(NC_LAYOUT_VERSION), number: last + 1)
        object = try BPFObject(bytes: bytes, name: "nearcast")
        (tables, capacities) = try Self.size(object, for: image)
        if let counters = adopted?.counters { try object.reuse(map: "counters", counters) }
        if let buckets = adopted?.buckets { try object.reuse(map: "rate_buckets", buckets) }
        if let shared = adopted?.words {
            try object.reuse(map: ".data.words", shared.map)
            try object.reuse(map: "node_answers", shared.answers.map)
            generation = shared.generation
        }
        try object.load()
        program = try object.program("nearcast")
        recordsProgram = try object.program("nearcast_records")
        counters = try object.map("counters")
        nodeAnswers = try NodeAnswers(object.map("node_answers"), owners: adopted?.words?.answers.owners ?? [:])
        control = try object.map(".data.control").memoryMap(writable: true)
        clock = try object.map(".data.clock").memoryMap(writable: true)
        overlayWords = try object.map(".data.overlay").memoryMap(writable: true)
        station = Station(try object.map(".data.station").memoryMap(writable: true))
        wordsMap = try object.map(".data.words")
        bucketsMap = try object.map("rate_buckets")
        recentBlocks = try RecentBlocks(object.map("recent_blocks"))
        if let open = adopted?.open {
            (words, rateBuckets) = (open.words, open.rateBuckets)
        } else {
            let buckets = try bucketsMap.memoryMap(writable: true)
            rateBuckets = RateBuckets(memory: buckets.base, keeper: buckets)
            let mapped = try wordsMap.memoryMap(writable: true)
            words = NodeWords(memory: mapped.base, keeper: mapped)
        }
        setClock()
        try pin()
    }

    /// Sets the size of every table's inner maps, with a map of that size which lives until the load.
    private static func size(_ object: BPFObject, for image: FastPathImage) throws -> (
        [(table: String, cell: Int)], [String: Int]
    ) {
        var tables: [(table: String, cell: Int)] = []
        var capacities: [String: Int] = [:]
        try image.forEachTable { table, cell, bytes in
            let cells = bytes.count / cell
            let capacity = cells + cells / 8 + 16
            let template = try BPFMap.create(
                type: .array, name: table, keySize: 4, valueSize: cell,
                maxEntries: capacity + (Overlay.room[table] ?? 0), flags: [.memoryMappable])
            try object.setInnerMap(outer: table, template: template)
            tables.append((table, cell))
            capacities[table] = capacity
        }
        return (tables, capacities)
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

    /// The file name of a map. Sections of global memory are named after their content.
    private static func pinName(_ name: String) -> String {
        switch name {
        case ".data.words": "node_words"
        case ".data.control": "control"
        case ".data.clock": "clock"
        default: String(name.trimmingPrefix(".data."))
        }
    }

    func map(_ name: String) throws -> BPFMap { try object.map(name) }

    /// How maps for the cells of a table are created.
    func innerShape(of table: String) throws -> BPFMap.Shape {
        try object.shape(of: "\(table)_empty", typed: hasTypedCells)
    }

    /// Both fields of the control word, in one store.
    func storeControl(answering: UInt32) {
        control.storeWord(at: 0, UInt64(nc_generation_word(UInt32(generation), half)) | UInt64(answering) << 32)
    }

    /// Writes the difference between the wall clock and the kernel's time since boot. It is valid until the clock is
    /// set, so call it regularly.
    public func setClock() {
        var (now, running) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_MONOTONIC, &running)
        func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
        clock.storeWord(at: 1, UInt64(bitPattern: nanoseconds(now) - nanoseconds(running)))
        clock.storeWord(at: 0, .max)
    }

    /// Fixes the program's clock at a second since 1970, until `setClock`. For tests.
    public func stopClock(at second: UInt32) {
        clock.storeWord(at: 0, 0)
        clock.storeWord(at: 1, UInt64(second) * 1_000_000_000)
    }

    /// After how many nanoseconds without a heartbeat addresses count as stale (0: never), and the TTL limit in seconds
    /// from then on.
    public struct Staleness: Sendable, Equatable {
        public let nanoseconds: UInt64
        public let ttl: UInt32

        public init(nanoseconds: UInt64, ttl: UInt32) {
            self.nanoseconds = nanoseconds
            self.ttl = ttl
        }
    }

    /// Writes a heartbeat: the daemon was alive at this time of the monotonic clock.
    public func beat(at nanoseconds: UInt64) { store(nanoseconds, at: \nc_control.beat) }

    /// Sets what the program does without heartbeats. Nil: nothing. Write a heartbeat first.
    public func watch(_ staleness: Staleness?) {
        store(UInt64(staleness?.ttl ?? 0), at: \nc_control.stale_ttl)
        store(staleness?.nanoseconds ?? 0, at: \nc_control.stale_after)
    }

    private func store(_ value: UInt64, at field: PartialKeyPath<nc_control>) {
        guard let offset = MemoryLayout<nc_control>.offset(of: field) else { preconditionFailure("no field of C") }
        control.storeWord(at: offset / 8, value)
    }

    /// Every counter, summed over the CPUs, in the order of `FastPathCounter.names`.
    public func readCounters() throws -> [UInt64] {
        try FastPathCounter.names.indices.map { index in
            try counters.lookupPerCPU(index: UInt32(index)).reduce(0) { sum, bytes in
                sum &+ bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            }
        }
    }

    /// Answers of the program that led to each of these slots' nodes, summed over the CPUs.
    public func readAnswers(of slots: [Int]) throws -> [UInt64] { try slots.map { try nodeAnswers.count($0) } }

    /// Removes the folders of earlier programs, once no interface runs them any more.
    public func removeEarlier() throws {
        for other in try pins.folders() where other != folder { try BPFFileSystem.removeTree(other.path) }
    }

    /// Unpins this program and its maps, and removes the root when it is empty.
    public func unpin() throws {
        try BPFFileSystem.removeTree(folder.path)
        if try BPFFileSystem.list(pins.root).isEmpty { try BPFFileSystem.removeTree(pins.root) }
    }
}
