import ConfigurationModel
import ControlPlane
import FastPathPlan
import IPNetworks
import Logging
import ModelCompiler
import Resolution
import StateStore
import Steering
import Synchronization
import Zones

/// A fast path without a kernel: it remembers what it was given, and fails on demand.
actor FakeFastPath: FastPathDriving {
    enum Step: Hashable, CaseIterable { case change, publish, retire }

    private struct Refusal: Error {}

    /// Tables that were made next to those in use.
    private struct Tables: FilledTables {}

    private let faults: Faults
    /// How many names changed since the image was published.
    private(set) var changedNames = 0
    private(set) var image: FastPathImage?
    /// Of the model that it answers from.
    private(set) var epoch: UInt64
    private var failing: Set<Step> = []
    /// Calls that came, in order.
    private(set) var calls: [Step] = []
    private(set) var overlayUse = 0.0
    private(set) var generation = 0
    private(set) var backTakings = 0
    /// Publications wait while a test holds them.
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []
    var idleGeneration: Int { 1 - generation }

    init(_ image: FastPathImage?, epoch: UInt64, faults: Faults) {
        (self.image, self.epoch, self.faults) = (image, epoch, faults)
    }

    var sharingZones: Set<[UInt8]>? { image?.sharingZones }

    /// The image, and how many names changed since it was published.
    var contents: (image: FastPathImage?, changedNames: Int) { (image, changedNames) }

    func fail(at steps: Set<Step>) { (failing, calls) = (steps, []) }

    func setOverlayUse(_ use: Double) { overlayUse = use }

    func holdPublications() { isHeld = true }

    /// Lets publications go on.
    func letGo() {
        isHeld = false
        for publication in held { publication.resume() }
        held = []
    }

    var hasHeld: Bool { !held.isEmpty }

    private func step(_ step: Step) throws {
        calls.append(step)
        if failing.contains(step) { throw Refusal() }
        try faults.step()
    }

    func fillBeside(_ image: FastPathImage) -> (any FilledTables)? { faults.isDue() ? nil : Tables() }

    func change(_ changes: StaticChanges, to epoch: UInt64) throws -> Bool {
        try step(.change)
        self.epoch = epoch
        changedNames += changes.names.count
        overlayUse = max(overlayUse, 0.01)
        return true
    }

    func publish(
        _ image: FastPathImage, from filled: (any FilledTables)?, changing changes: StaticChanges?, to epoch: UInt64
    ) async throws -> FastPathPublication {
        guard self.image != nil else { return .none }
        if isHeld { await withCheckedContinuation { held.append($0) } }
        try step(.publish)
        (self.image, self.epoch, overlayUse) = (image, epoch, changes == nil ? 0 : 0.01)
        changedNames = changes?.names.count ?? 0
        generation = 1 - generation
        return .generation
    }

    func retire() throws { try step(.retire) }

    func freed() {}

    func takeBack() { backTakings += 1 }

    private(set) var isDetached = false

    /// As an operator does.
    func detach() { (isDetached, image) = (true, nil) }

    func attach(_ image: FastPathImage, to epoch: UInt64) throws {
        try step(.publish)
        (self.image, self.epoch, changedNames, overlayUse, isDetached) = (image, epoch, 0, 0, false)
        generation = 1 - generation
    }
}

/// A store in memory, which fails on demand.
final class MemoryStore: StateStore {
    private struct Contents {
        var nodes: [String: KeptNode] = [:]
        var rrsets = KeptRRsets()
        var records: [NodeTransition] = []
        var history: [KeptRecordChange] = []
        var latest: UInt64 = 0
        var problem: JournalProblem?
    }

    private let contents = Mutex(Contents())
    private let faults: Faults

    init(faults: Faults = Faults()) { self.faults = faults }

    var path: String { "memory" }
    var nodes: [String: KeptNode] { contents.withLock { $0.nodes } }
    var rrsets: KeptRRsets { contents.withLock { $0.rrsets } }
    var records: [NodeTransition] { contents.withLock { $0.records } }
    var latest: UInt64 { contents.withLock { $0.latest } }
    var backlog: Int { 0 }
    var lost: Int { 0 }

    func fail(_ isFailing: Bool) {
        contents.withLock { $0.problem = isFailing ? JournalProblem("the disk is full") : nil }
    }

    func nextNumber() -> UInt64 {
        contents.withLock { contents in
            contents.latest += 1
            return contents.latest
        }
    }

    func write(_ records: [NodeTransition], nodes: [String: KeptNode?]) {
        contents.withLock { contents in
            contents.records += records
            for (id, node) in nodes { contents.nodes[id] = node }
        }
    }

    func keep(_ change: KeptRRsetsChange) async -> JournalProblem? {
        contents.withLock { contents in
            if let problem = contents.problem ?? fault { return problem }
            for (key, set) in change.sets { contents.rrsets.sets[key] = set }
            for (zone, serial) in change.serials { contents.rrsets.serials[zone] = serial }
            contents.history.removeAll { change.struck.contains($0.number) }
            contents.history += change.history
            return nil
        }
    }

    private var fault: JournalProblem? { faults.isDue() ? JournalProblem("a fault") : nil }

    func flush() async -> JournalProblem? { contents.withLock { $0.problem ?? fault } }
    func retry() {}
    func handOver() async -> JournalProblem? { await flush() }
    func resume() async -> JournalProblem? { await flush() }
    func close() async -> JournalProblem? { await flush() }
    func readRRsets() throws(JournalProblem) -> KeptRRsets {
        if let fault { throw fault }
        return rrsets
    }

    func changes(after sequence: UInt64, limit: Int) async -> [NodeTransition] {
        Array(records.filter { $0.sequence > sequence }.prefix(limit))
    }

    func history(of node: String?, limit: Int) async -> [NodeTransition] {
        Array(records.filter { node == nil || $0.node == node }.reversed().prefix(limit))
    }

    func recordHistory(_ query: RecordHistoryQuery) async throws(JournalProblem) -> [KeptRecordChange] {
        let found = contents.withLock { $0.history.filter(query.includes) }
        return Array(found.sorted { $0.number > $1.number }.prefix(query.limit))
    }
}

/// Node words that remember the order of stores.
final class RecordingWords: WordStore {
    enum Store: Hashable {
        case word
        case census(UInt64)
    }

    private let words = NodeWords()
    private let stores = Mutex<[Store]>([])

    /// What was stored since the last call.
    func takeStores() -> [Store] {
        stores.withLock { stores in
            defer { stores = [] }
            return stores
        }
    }

    func word(_ slot: Int, _ family: IPFamily?) -> UInt64 { words.word(slot, family) }

    func store(_ slot: Int, _ family: IPFamily?, _ word: UInt64) {
        words.store(slot, family, word)
        // The only family that these nodes have, and that a census counts.
        if family == .v4 { stores.withLock { $0.append(.word) } }
    }

    func storeIDHash(_ slot: Int, _ hash: UInt64) { words.storeIDHash(slot, hash) }

    func storeCensus(generation: Int, table: Int, _ census: UInt64) {
        words.storeCensus(generation: generation, table: table, census)
        stores.withLock { $0.append(.census(census)) }
    }
}

/// The control socket of a handover: it remembers how it was taken back.
final class FakeSocket: HeldSocket {
    private let restored = Mutex<[Bool]>([])

    var spare: String { "spare" }

    /// For each restoration, whether it was the last.
    var restorations: [Bool] { restored.withLock { $0 } }

    func restore(isLast: Bool) { restored.withLock { $0.append(isLast) } }
}

/// A log that remembers messages by level.
struct RecordingLog: LogHandler {
    private final class Lines: Sendable {
        let lines = Mutex<[(level: Logger.Level, message: String)]>([])
    }

    private let contents = Lines()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func messages(_ level: Logger.Level) -> [String] {
        contents.lines.withLock { $0.filter { $0.level == level }.map(\.message) }
    }

    func log(event: LogEvent) { contents.lines.withLock { $0.append((event.level, "\(event.message)")) } }
}
