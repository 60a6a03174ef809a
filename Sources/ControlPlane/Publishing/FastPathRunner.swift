import BPFRuntime
import CFastPathABI
package import ConfigurationModel
package import DNSWire
import FastPathDriver
package import FastPathPlan
import Glibc
package import Logging
package import Resolution
package import Steering

/// The fast path of this process: loaded or not, attached or not, and always with the reason.
///
/// An actor, because start-up, the control socket and shut-down all reach for it.
package actor FastPathRunner {
    /// Nil: user space answers everything.
    private var maps: FastPathMaps?
    private var attachments: [Attachment] = []
    /// Modes that were asked for, in order.
    private var modes: [XDPMode] = []
    /// Interfaces that the program is to run on, by name.
    private var interfaces: [String] = []
    /// Interfaces that went away under the program.
    private var lost: Set<String> = []
    /// What the program does when this process is gone.
    private let staleness: FastPathMaps.Staleness?
    /// Whether the host's addresses could be read the last time.
    private var hasAddresses = true
    /// Interfaces that are there and down.
    private var isDown: Set<String> = []
    /// Frees what was in the idle slot.
    private var freeing: Task<Void, Never>?
    /// Held as long as this process may touch what is pinned; nil while a predecessor has it, or a successor.
    private var lock: FolderLock?
    /// Of the program that this one replaces.
    private let adopted: AdoptableState?
    /// Of the model that the program answers from.
    private var epoch: UInt64 = 0
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
        var loaded: Loaded?
        var obstacle: String?
        if settings.isOff {
            obstacle = settings.mode == .off ? "switched off by fast_path.mode" : "fast_path names no interface"
        } else {
            do {
                if let refusal = BPFSupport.probe() {
                    obstacle = "\(refusal)"
                } else {
                    loaded = try Loaded(image, isTakeover: isTakeover, logger: logger)
                }
            } catch let failure as StartupFailure { throw failure } catch { obstacle = "\(error)" }
            if let obstacle, settings.mode != .auto {
                throw StartupFailure(["fast path: mode \(settings.mode.rawValue) was asked for, but \(obstacle)"])
            }
        }
        lock = obstacle != nil && !isTakeover ? try Self.removeLeftovers(logger) : loaded?.lock
        words = loaded?.maps.words ?? NodeWords()
        rateBuckets = loaded?.maps.rateBuckets ?? RateBuckets()
        maps = loaded?.maps
        adopted = loaded?.adopted
        staleness = settings.stale.map { .init(nanoseconds: UInt64($0.afterMilliseconds) * 1_000_000, ttl: $0.ttl) }
        if let obstacle {
            attachments = settings.interfaces.map { Attachment(interface: $0.name, mode: nil, reason: obstacle) }
            logger.notice("no fast path, user space answers everything", metadata: ["reason": "\(obstacle)"])
        }
    }

    /// A program in the kernel, with what it took over from the one before.
    private struct Loaded {
        let lock: FolderLock?
        let adopted: AdoptableState?
        let maps: FastPathMaps

        init(_ image: FastPathImage, isTakeover: Bool, logger: Logger) throws {
            lock = isTakeover ? nil : try PinnedFastPath.standard.lock()
            guard lock != nil || isTakeover else {
                throw StartupFailure(
                    [
                        "another nearcastd has the fast path pinned at \(PinnedFastPath.standard.root): stop it first, or "
                            + "set fast_path.mode to off here"
                    ], status: .unavailable)
            }
            var found: AdoptableState?
            do { found = try AdoptableState(of: .standard, for: image) } catch {
                logger.warning("the states of an earlier run cannot be read", metadata: ["error": "\(error)"])
            }
            adopted = found
            maps = try FastPathMaps(sizedFor: image, adopting: found)
            guard let found else { return }
            logger.info(
                "takes over from the program of an earlier run",
                metadata: [
                    "states": "\(found.states.count)", "words": "\(found.sharesWords ? "shared" : "copied")",
                    "counters": "\(found.sharesCounters ? "go on" : "begin")",
                ])
        }
    }

    /// States of nodes that the program before had, by the hash of their ids.
    package var earlierStates: [UInt64: UInt64] { adopted?.states ?? [:] }

    /// Removes what an earlier run left answering, when this one does without: nothing would tell it of nodes and zones.
    /// What another daemon holds is its own.
    private static func removeLeftovers(_ logger: Logger) throws(StartupFailure) -> FolderLock? {
        guard BPFFileSystem.exists(PinnedFastPath.standard.root) else { return nil }
        do {
            guard let lock = try PinnedFastPath.standard.lock() else { return nil }
            let removed = try PinnedFastPath.standard.removeAll()
            if !removed.isEmpty {
                logger.notice(
                    "removed the fast path of an earlier run",
                    metadata: ["pins": "\(removed.joined(separator: " "))"])
            }
            return lock
        } catch {
            throw StartupFailure([
                "an earlier run left a fast path at \(PinnedFastPath.standard.root), which would go on answering from old "
                    + "data, and it cannot be removed (\(error)): run `nearcast detach` as root"
            ])
        }
    }

    /// Publishes what is known, and every later change.
    package func use(_ events: EventStream, _ state: StateCell) {
        outputs = (events, state)
        publishView()
    }

    private func publishView() {
        let view = FastPathView(
            attachments: attachments.map { isDown.contains($0.interface) ? $0.with("the interface is down") : $0 },
            generation: maps?.generation ?? 0, tables: maps?.tableBytes ?? [], program: maps?.program,
            epoch: epoch, overlay: overlayView, hasImage: maps?.image != nil)
        outputs?.state.update { $0.fastPath = view }
    }

    private var overlayView: FastPathView.Overlay? {
        maps?.overlay.map { FastPathView.Overlay(count: $0.count, cells: $0.cells) }
    }

    private func note(_ kind: Event.Kind) { outputs?.events.append(kind) }

    /// Every counter of the program, in the order of `FastPathCounter.names`; `nil` without a fast path.
    package func readCounters() -> [UInt64]? { try? maps?.readCounters() }

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
        modes =
            switch settings.mode {
            case .native: [.native]
            case .generic: [.generic]
            case .auto, .off: [.native, .generic]
            }
        interfaces = settings.interfaces.map(\.name)
        self.epoch = epoch
        defer { publishView() }
        do {
            try maps.fill(image)
            watch(maps)
            maps.flip()
            for interface in interfaces {
                let attachment = try attachment(of: maps, to: interface)
                attachments.append(attachment)
                report(attachment)
                if attachment.mode == nil, settings.mode != .auto {
                    throw StartupFailure(["fast path on \(interface): \(attachment.reason)"])
                }
            }
            for stray in try PinnedFastPath.standard.linkedInterfaces()
            where !settings.interfaces.contains(where: { $0.name == stray }) {
                try maps.detach(from: stray)
            }
            // Of a predecessor that lives they are what it goes back to when this start fails.
            if lock != nil { try maps.removeEarlier() }
        } catch {
            rollBack()
            throw (error as? StartupFailure) ?? StartupFailure(["fast path: \(error)"], status: .system)
        }
    }

    private func attachment(of maps: FastPathMaps, to interface: String) throws -> Attachment {
        guard NetworkInterface(interface) != nil else {
            lost.insert(interface)
            return Attachment(
                interface: interface, mode: nil,
                reason: "there is no interface \(interface) yet: the program is attached when it comes")
        }
        return try maps.attach(to: interface, modes: modes)
    }

    /// The slot in use; 0 without a fast path.
    package var generation: Int { maps?.generation ?? 0 }

    /// The slot that the next generation goes to; the registry writes its census before `publish`.
    package var idleGeneration: Int { maps?.idleGeneration ?? 0 }

    /// Makes the program answer from `image`: for a packet, all of it or nothing. Until `retire`, packets that came before
    /// may still be answered from the generation before.
    ///
    /// - Parameters:
    ///   - filled: tables of the image that stand beside; `nil`: they are made now.
    ///   - changes: what differs from the image by now; `nil`: nothing.
    /// - Throws: when the kernel refuses, and `FastPathLimit` where the changes do not fit; packets are answered as before then.
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
            self.epoch = epoch
            return .generation
        }
        try replaceProgram(maps, image, changes)
        self.epoch = epoch
        return .program("\(excess)")
    }

    /// Makes tables of an image that stand beside those in use, on a thread of its own. `nil` where they cannot be had:
    /// `publish` says why.
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
        self.epoch = epoch
        let overlay = overlayView
        outputs?.state.update { ($0.fastPath.epoch, $0.fastPath.overlay) = (epoch, overlay) }
        return true
    }

    /// Builds a program with room for `image` beside the one that runs, and gives it the links. Node words and counters
    /// are those of both.
    private func replaceProgram(
        _ earlier: FastPathMaps, _ image: FastPathImage, _ changes: StaticChanges?
    ) throws {
        let next = try FastPathMaps(sizedFor: image, adopting: earlier.adoptableState)
        var taken: [Attachment] = []
        do {
            try fill(next, image, nil, changes)
            watch(next)
            next.flip()
            for attachment in attachments where attachment.mode != nil {
                taken.append(try next.attach(to: attachment.interface, modes: modes))
            }
        } catch {
            try next.rollBack(taken)
            throw error
        }
        maps = next
        do { try next.removeEarlier() } catch {
            logger.warning("the program before could not be unpinned", metadata: ["error": "\(error)"])
        }
    }

    /// Waits until what was before is read by no packet, and has it freed. Both take threads of their own.
    package func retire() async throws {
        guard let maps, let readers = maps.readers else { return }
        try await onOwnThread { Result { try readers.wait() } }.get()
        maps.settle()
        defer { publishView() }
        guard let leaving = try maps.leaveIdle() else { return }
        freeing = Task { [logger] in
            do { try await onOwnThread { Result { try leaving.free() } }.get() } catch {
                logger.warning("the tables before could not be freed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Returns when nothing is left of the tables before.
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
        setStation(maps)
        maps.beat(at: Self.now)
        maps.watch(staleness)
    }

    /// Tells the program that this process lives and what time it is, notes interfaces that went away or down, and attaches to those that came
    /// back.
    package func lookAfter() {
        maps?.beat(at: Self.now)
        maps?.setClock()
        guard let maps, !life.current.leavesKernelAlone else { return }
        setStation(maps)
        defer { publishView() }
        for (index, attachment) in attachments.enumerated() {
            let interface = attachment.interface
            if attachment.mode != nil, maps.isAttached(to: interface) == false {
                lost.insert(interface)
                attachments[index] = Attachment(
                    interface: interface, mode: nil, reason: "the program is off: the interface went away")
                report(attachments[index])
            }
            guard let now = NetworkInterface(interface) else { continue }
            note(interface, isUp: now.isUp)
            guard lost.contains(interface) else { continue }
            // Refused again and again is said once: the interface is not lost any more.
            lost.remove(interface)
            do { attachments[index] = try maps.attach(to: interface, modes: modes) } catch {
                attachments[index] = Attachment(interface: interface, mode: nil, reason: "\(error)")
            }
            report(attachments[index])
        }
    }

    /// Tells the program which frames are for this host. Without an answer of the kernel's it goes on with the last one.
    private func setStation(_ maps: FastPathMaps) {
        do {
            maps.setStation(of: interfaces, try HostAddresses())
            hasAddresses = true
        } catch {
            // Said once: this is tried every second.
            if hasAddresses {
                logger.warning(
                    "host addresses cannot be read: the program keeps the last known ones",
                    metadata: ["error": "\(error)"])
            }
            hasAddresses = false
        }
    }

    private func note(_ interface: String, isUp: Bool) {
        guard isUp == isDown.contains(interface) else { return }
        if isUp { isDown.remove(interface) } else { isDown.insert(interface) }
        note(.interface(interface, isUp: isUp))
    }

    private func report(_ attachment: Attachment) { note(.attachment(attachment)) }

    /// Undoes a start that failed half-way.
    private func rollBack() {
        do { try maps?.rollBack(attachments) } catch {
            logger.error(
                "what was attached could not be taken back: `nearcast detach` removes it",
                metadata: ["error": "\(error)"])
        }
        attachments = []
        maps = nil
    }

    /// Unpins a program that never came to be attached.
    package func discard() {
        guard let maps else { return }
        try? maps.unpin()
        self.maps = nil
    }

    /// Takes the program off and unpins it.
    ///
    /// - Returns: what was removed, by path.
    @discardableResult
    package func stop() -> [String] {
        guard maps != nil else { return [] }
        defer { publishView() }
        // A predecessor may have ended since it was last looked for: what it left is then this process's to remove.
        guard succeed(), lock != nil else {
            // It has not: its program gets back what it had.
            rollBack()
            return []
        }
        var removed: [String] = []
        do {
            removed = try PinnedFastPath.standard.removeAll()
            logger.info("fast path detached")
        } catch {
            logger.error(
                "the fast path could not be removed: `nearcast detach` tries again", metadata: ["error": "\(error)"])
        }
        attachments = attachments.map { Attachment(interface: $0.interface, mode: nil, reason: "detached") }
        maps = nil
        return removed
    }
}

extension FastPathRunner: FastPathDriving {}

// MARK: - From one process to the next

extension FastPathRunner {
    /// The successor is gone: takes the links back, which it may have had, and removes what it pinned.
    package func takeBack() {
        guard let maps else { return }
        defer { publishView() }
        for (index, attachment) in attachments.enumerated() where attachment.mode != nil {
            guard maps.isAttached(to: attachment.interface) != true else { continue }
            do { attachments[index] = try maps.attach(to: attachment.interface, modes: modes) } catch {
                attachments[index] = Attachment(interface: attachment.interface, mode: nil, reason: "\(error)")
            }
            report(attachments[index])
        }
        do { try maps.removeEarlier() } catch {
            logger.warning("what the successor pinned could not be removed", metadata: ["error": "\(error)"])
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
                "what the predecessor pinned could not be removed", metadata: ["error": "\(error)"])
        }
        return true
    }
}
