import BPFRuntime
import CFastPathABI
package import ConfigurationModel
package import ControlFailures
package import DNSWire
import FastPathDriver
package import FastPathPlan
import Glibc
import LinuxSupport
package import Logging
package import Resolution
package import Steering

/// The fast path of this process. If it is not loaded or not attached, it knows the reason.
///
/// It drives the maps (``FastPathMaps``) and leaves the interfaces to ``InterfaceAttachments``. It is an actor, because
/// start-up, the publisher, the interface watch and shut-down all call it.
package actor FastPathRunner {
    /// Nil: user space answers everything.
    private var maps: FastPathMaps?
    private var interfaces: InterfaceAttachments
    private var unsent = UnsentReplies()
    /// What the program does when this process is gone.
    private let staleness: FastPathMaps.Staleness?
    /// Frees what was in the idle slot.
    private var freeing: Task<Void, Never>?
    /// Held as long as this process may touch what is pinned; nil while a predecessor has it, or a successor.
    private var lock: FolderLock?
    /// Of the program that this one replaces.
    private let adopted: AdoptableState?
    /// Of the program that ``stop()`` took off: what the next one has in common with it.
    private var detached: AdoptableState?
    private let life: LifeCycle
    private let logger: Logger
    /// Where events and the view go, once they exist.
    private var outputs: (events: EventStream, state: StateCell)?
    /// The words of the loaded program, or this process's own.
    package nonisolated let words: NodeWords
    /// The buckets of rate limits that the loaded program counts in, or this process's own.
    package nonisolated let rateBuckets: RateBuckets

    /// Loads the program, unless it is switched off or cannot be had.
    ///
    /// - Parameter isTakeover: a predecessor has the lock, and changes nothing any more.
    /// - Throws: `StartupFailure` when a mode was asked for by name and cannot be had.
    package init(
        _ settings: FastPathSettings, image: FastPathImage, isTakeover: Bool, life: LifeCycle, logger: Logger
    ) throws(StartupFailure) {
        self.life = life
        self.logger = logger
        let loaded = try LoadedProgram(settings, image, isTakeover: isTakeover, logger)
        (lock, maps, adopted) = (loaded.lock, loaded.maps, loaded.adopted)
        words = loaded.maps?.words ?? NodeWords()
        rateBuckets = loaded.maps?.rateBuckets ?? RateBuckets()
        staleness = settings.stale.map { .init(nanoseconds: UInt64($0.afterMilliseconds) * 1_000_000, ttl: $0.ttl) }
        interfaces = InterfaceAttachments(settings, without: loaded.obstacle)
    }

    /// The node words of the earlier program, by the hash of the node ids.
    package var earlierStates: [UInt64: WordsOfNode] { adopted?.states ?? [:] }

    /// Publishes what is known, and every later change.
    package func use(_ events: EventStream, _ state: StateCell) {
        outputs = (events, state)
        publishView()
    }

    private func publishView() {
        let view = FastPathView(
            attachments: interfaces.view, generation: maps?.generation ?? 0, tables: maps?.tableBytes ?? [],
            program: maps?.program, overlay: overlayView, hasImage: maps?.image != nil,
            unsent: unsent.counts)
        outputs?.state.update { $0.fastPath = view }
    }

    private var overlayView: FastPathView.Overlay? {
        maps?.overlay.map { FastPathView.Overlay(count: $0.count, cells: $0.cells) }
    }

    private func note(_ kind: Event.Kind) { outputs?.events.append(kind) }

    /// Every counter of the program, in the order of `FastPathCounter.names`; `nil` without a fast path.
    package func readCounters() -> [UInt64]? { try? maps?.readCounters() }

    /// Answers of the program that led to each of the nodes, by id; `nil` without a fast path.
    package func readAnswers(of nodes: [SteeringNode]) -> [String: UInt64]? {
        guard let counts = try? maps?.readAnswers(of: nodes.map(\.slot)) else { return nil }
        return Dictionary(zip(nodes.map(\.id), counts), uniquingKeysWith: { $1 })
    }

    /// Whether the program answers a name and type alike for every client.
    package func answersAlike(_ name: DomainName, _ type: RecordType) -> Bool {
        maps?.image?.answersAlike(name, type, under: maps?.overlay) ?? false
    }

    /// Whether the program makes the answer to a name and type from nodes.
    package func makesAnswer(_ name: DomainName, _ type: RecordType) -> Bool {
        maps?.image?.makesAnswer(name, type, under: maps?.overlay) ?? false
    }

    /// Fills the maps and puts the program on the interfaces.
    package func start(_ image: FastPathImage, _ settings: FastPathSettings, epoch: UInt64) throws(StartupFailure) {
        guard let maps else { return }
        interfaces.use(settings)
        defer { publishView() }
        do {
            try maps.fill(image)
            watch(maps)
            maps.flip()
            try interfaces.attach(maps, settings) { note($0) }
            // A predecessor that lives goes back to its pins when this start fails.
            if lock != nil { try maps.removeEarlier() }
        } catch {
            rollBack()
            throw (error as? StartupFailure) ?? StartupFailure(["fast path: \(error)"], status: .system)
        }
        logPublished(epoch)
    }

    private func logPublished(_ epoch: UInt64) {
        logger.debug(
            "fast path published", metadata: ["epoch": "\(epoch)", "generation": "\(maps?.generation ?? 0)"])
    }

    /// The slot in use; 0 without a fast path.
    package var generation: Int { maps?.generation ?? detached?.generation ?? 0 }

    /// The slot that the next generation goes to; the node controller writes its census before `publish`.
    package var idleGeneration: Int { maps?.idleGeneration ?? detached?.generation.map { 1 - $0 } ?? 0 }

    /// Makes the program answer from `image`: for a packet, all of it or nothing. Until `retire`, packets that came before
    /// may still be answered from the generation before.
    ///
    /// - Parameters:
    ///   - filled: tables of the image that `fillBeside` made; `nil`: they are made now.
    ///   - changes: what differs from the image by now; `nil`: nothing.
    /// - Throws: if the kernel refuses, and `FastPathLimit` if the changes do not fit. Packets are then answered as before.
    package func publish(
        _ image: FastPathImage, from filled: (any FilledTables)? = nil, changing changes: StaticChanges? = nil,
        to epoch: UInt64
    ) async throws -> FastPathPublication {
        await freeing?.value
        guard let maps else { return .none }
        let filled = filled as? FastPathMaps.FilledTables
        defer { publishView() }
        guard let excess = maps.excess(of: image) else {
            try fill(maps, image, filled, changes)
            maps.flip()
            logPublished(epoch)
            return .generation
        }
        try replaceProgram(maps, image, changes)
        logPublished(epoch)
        return .program("\(excess)")
    }

    /// Makes tables of an image next to those in use, on a thread of its own. `nil` when that is not possible: `publish`
    /// says why.
    package func fillBeside(_ image: FastPathImage) async -> (any FilledTables)? {
        guard let filling = try? maps?.filling(of: image) else { return nil }
        return await onOwnThread { try? filling.make() }
    }

    private func fill(
        _ maps: FastPathMaps, _ image: FastPathImage, _ filled: FastPathMaps.FilledTables?,
        _ changes: StaticChanges?
    ) throws {
        guard let changes else { return try maps.fill(image, from: filled) }
        guard try maps.fill(image, from: filled, changing: changes) else {
            throw FastPathLimit(
                what: "changes while tables are filled", count: changes.names.count, limit: Int(NC_OVERLAY_WORDS))
        }
    }

    /// Zones in the tables whose names share the replies to what is not there; `nil` without a program.
    package var sharingZones: Set<[UInt8]>? { maps?.sharingZones }

    /// How much of the room for changed names is taken, 0 to 1.
    package var overlayUse: Double {
        guard let overlay = maps?.overlay else { return 0 }
        return max(
            Double(overlay.count) / Double(NC_OVERLAY_WORDS),
            Double(overlay.cells) / Double(NC_OVERLAY_ENTRIES + NC_OVERLAY_ANSWERS))
    }

    /// Changes names in the generation in use: for a packet, all of them or none. As after `publish`, `retire` comes next.
    ///
    /// - Returns: false where that does not fit: an image is to be published.
    package func change(_ changes: StaticChanges, to epoch: UInt64) throws -> Bool {
        guard let maps, try maps.change(changes) else { return false }
        let overlay = overlayView
        outputs?.state.update { $0.fastPath.overlay = overlay }
        logPublished(epoch)
        return true
    }

    /// Builds a program with room for `image` next to the one that runs, and gives it the links. Both share node words and
    /// counters.
    private func replaceProgram(
        _ earlier: FastPathMaps, _ image: FastPathImage, _ changes: StaticChanges?
    ) throws {
        let next = try FastPathMaps(sizedFor: image, adopting: earlier.adoptableState)
        do {
            try fill(next, image, nil, changes)
            watch(next)
            next.flip()
        } catch {
            try next.rollBack([])
            throw error
        }
        try interfaces.move(to: next) { note($0) }
        maps = next
        do { try next.removeEarlier() } catch {
            logger.warning("cannot unpin the replaced program", metadata: ["error": "\(error)"])
        }
    }

    /// Waits until no packet reads the replaced tables, and has them freed. Both run on threads of their own.
    package func retire() async throws {
        guard let maps, let readers = maps.readers else { return }
        try await onOwnThread { Result { try readers.wait() } }.get()
        maps.settle()
        defer { publishView() }
        guard let leaving = try maps.leaveIdle() else { return }
        freeing = Task { [logger] in
            do { try await onOwnThread { Result { try leaving.free() } }.get() } catch {
                logger.warning("cannot free replaced fast path tables", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Returns when the replaced tables are freed.
    package func freed() async { await freeing?.value }

    /// What the program answers from; `nil` without one.
    package var image: FastPathImage? { maps?.image }

    /// The clock that the program compares with.
    private static var now: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    private func watch(_ maps: FastPathMaps) {
        interfaces.setStation(maps, logger)
        maps.beat(at: Self.now)
        maps.watch(staleness)
    }

    /// Gives the program a sign of life and the time, and checks the interfaces.
    package func lookAfter() {
        maps?.beat(at: Self.now)
        maps?.setClock()
        guard let maps, !life.current.leavesKernelAlone else { return }
        interfaces.setStation(maps, logger)
        interfaces.lookAfter(maps) { note($0) }
        if unsent.isDue(at: MonotonicClock.nanoseconds) { lookForUnsentReplies() }
        publishView()
    }

    private func lookForUnsentReplies() {
        let attached = interfaces.view.filter { $0.mode != nil }.map(\.interface)
        let counters = attached.compactMap { interface in
            NetworkInterface(interface)?.unsentReplies.map { (interface, $0) }
        }
        let news = unsent.take(Dictionary(counters, uniquingKeysWith: { $1 }), of: Set(attached))
        for news in news { note(.unsentReplies(news)) }
    }

    /// Undoes a start that failed.
    private func rollBack() {
        do { try interfaces.rollBack(maps) } catch {
            logger.error(
                "cannot undo the attachment: `nearcast detach` removes it", metadata: ["error": "\(error)"])
        }
        maps = nil
    }

    /// Unpins a program that was never attached.
    package func discard() {
        guard let maps else { return }
        try? maps.unpin()
        self.maps = nil
    }

    /// Takes the program off and unpins it.
    ///
    /// - Returns: what was removed, by path.
    /// - Throws: `conflict` while links and pins are a successor's to change.
    @discardableResult
    package func stop() throws(ControlFailure) -> [String] {
        try requireOwnKernel()
        guard maps != nil else { return [] }
        defer { publishView() }
        // A predecessor may have ended since the last look: then this process removes what it left.
        guard succeed(), lock != nil else {
            // It has not: its program gets back what it had.
            rollBack()
            return []
        }
        var removed: [String] = []
        do {
            removed = try PinnedFastPath.standard.removeAll()
            detached = maps?.adoptableState
            logger.info("fast path detached")
        } catch {
            logger.error(
                "cannot remove the fast path: `nearcast detach` tries again", metadata: ["error": "\(error)"])
        }
        interfaces.detach()
        maps = nil
        return removed
    }
}

extension FastPathRunner: FastPathDriving {}

// MARK: - The way back

extension FastPathRunner {
    package var isDetached: Bool { detached != nil }

    /// Tries the interfaces that lack the program.
    ///
    /// - Throws: `conflict` without a program, with the reason, and while a successor has its turn.
    package func attachInterfaces() throws(ControlFailure) {
        try requireOwnKernel()
        guard let maps else {
            let reason = interfaces.view.first?.reason ?? "fast_path names no interface, or is switched off"
            throw ControlFailure(
                .conflict, "there is no program to attach: \(reason)",
                remedy: "`nearcast doctor` says what this host lacks; a restart loads the program")
        }
        interfaces.retry(maps) { note($0) }
        publishView()
    }

    /// Loads a program again after ``stop()``, with the node words and counters of the one before, and puts it on the
    /// interfaces. The census of `idleGeneration` is written.
    ///
    /// - Throws: if the kernel refuses, or another process has the pins. The program is off then, as before.
    package func attach(_ image: FastPathImage, to epoch: UInt64) throws {
        guard let detached else { return }
        try requireOwnKernel()
        // The folder that was locked may be gone.
        lock = nil
        lock = try PinnedFastPath.standard.lock()
        guard lock != nil else { throw StartupFailure.pinsAreHeld }
        defer { publishView() }
        let next = try FastPathMaps(sizedFor: image, adopting: detached)
        do {
            try next.fill(image)
            watch(next)
            next.flip()
            try interfaces.attachAgain(next) { note($0) }
        } catch {
            try? next.unpin()
            throw error
        }
        (maps, self.detached) = (next, nil)
        logPublished(epoch)
    }

    private func requireOwnKernel() throws(ControlFailure) {
        guard !life.current.leavesKernelAlone else {
            // Not "unavailable": `nearcast detach` would then remove the pins itself.
            throw ControlFailure(.conflict, DaemonLife.isHandingOver.message, remedy: DaemonLife.isHandingOver.remedy)
        }
    }
}

// MARK: - From one process to the next

extension FastPathRunner {
    /// The successor lost its turn: takes back the links that it may have had, and removes what it pinned.
    package func takeBack() {
        guard let maps else { return }
        defer { publishView() }
        interfaces.takeBack(maps) { note($0) }
        do { try maps.removeEarlier() } catch {
            logger.warning("cannot remove what the successor pinned", metadata: ["error": "\(error)"])
        }
    }

    /// Takes the place of a predecessor that has ended: its lock, and what it left pinned.
    ///
    /// - Returns: false while it has not.
    package func succeed() -> Bool {
        guard lock == nil, BPFFileSystem.exists(PinnedFastPath.standard.root) else { return true }
        do {
            lock = try PinnedFastPath.standard.lock()
            guard lock != nil else { return false }
            if let maps { try maps.removeEarlier() } else { _ = try PinnedFastPath.standard.removeAll() }
        } catch {
            logger.warning(
                "cannot remove what the predecessor pinned", metadata: ["error": "\(error)"])
        }
        return true
    }
}
