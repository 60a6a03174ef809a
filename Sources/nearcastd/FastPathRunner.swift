import BPFRuntime
import FastPath
import Logging
import MapWriter
import ServerConfiguration
import Serving
import Steering

/// The fast path of this process: loaded or not, attached or not, and always with the reason.
///
/// An actor, because start-up, the control socket and shut-down all reach for it.
actor FastPathRunner {
    /// What the rest of the daemon may know of it.
    struct Snapshot: Sendable {
        let attachments: [Attachment]
        /// The slot in use; 0 without a fast path.
        let generation: Int
        let tables: [(table: String, bytes: Int)]
        let program: BPFProgram?
        /// Where it is pinned.
        let path: String?
        /// In the order of `FastPathCounter.names`; nil without a fast path.
        let counters: [UInt64]?

        var isAttached: Bool { attachments.contains { $0.mode != nil } }
    }

    /// Nil: user space answers everything.
    private var maps: FastPathMaps?
    private var attachments: [Attachment] = []
    /// Modes that were asked for, in order.
    private var modes: [XDPMode] = []
    /// Interfaces that went away under the program.
    private var lost: Set<String> = []
    /// Held as long as this process may touch what is pinned.
    private let lock: FolderLock?
    private let logger: Logger
    /// The words of the loaded program, or this process's own.
    let words: NodeWords
    /// The buckets of rate limits that the loaded program counts in, or this process's own.
    let rateBuckets: RateBuckets

    /// Loads the program, unless it is switched off or cannot be had.
    ///
    /// - Throws: `StartupFailure` when a mode was asked for by name and cannot be had.
    init(_ settings: FastPathSettings, image: FastPathImage, logger: Logger) throws(StartupFailure) {
        self.logger = logger
        var lock: FolderLock?
        var obstacle: String?
        var loaded: FastPathMaps?
        if settings.mode == .off || settings.interfaces.isEmpty {
            obstacle = settings.mode == .off ? "switched off by fast_path.mode" : "fast_path names no interface"
        } else {
            do {
                if let refusal = BPFSupport.probe() {
                    obstacle = "\(refusal)"
                } else {
                    lock = try PinnedFastPath.standard.lock()
                    if lock != nil { loaded = try FastPathMaps(sizedFor: image) }
                }
            } catch { obstacle = "\(error)" }
            guard obstacle != nil || lock != nil else {
                throw StartupFailure([
                    "another nearcastd has the fast path pinned at \(PinnedFastPath.standard.root): stop it first, or "
                        + "set fast_path.mode to off here"
                ])
            }
            if let obstacle, settings.mode != .auto {
                throw StartupFailure(["fast path: mode \(settings.mode.rawValue) was asked for, but \(obstacle)"])
            }
        }
        if obstacle != nil { lock = try Self.removeLeftovers(logger) }
        self.lock = lock
        words = loaded?.words ?? NodeWords()
        rateBuckets = loaded?.rateBuckets ?? RateBuckets()
        maps = loaded
        if let obstacle {
            attachments = settings.interfaces.map { Attachment(interface: $0.name, mode: nil, reason: obstacle) }
            logger.notice("no fast path, user space answers everything", metadata: ["reason": "\(obstacle)"])
        }
    }

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

    func snapshot() -> Snapshot {
        Snapshot(
            attachments: attachments, generation: maps?.generation ?? 0, tables: maps?.tableBytes ?? [],
            program: maps?.program, path: maps?.path, counters: try? maps?.readCounters())
    }

    /// Fills the maps and puts the program on the interfaces.
    func start(_ image: FastPathImage, _ settings: FastPathSettings) throws(StartupFailure) {
        guard let maps else { return }
        modes =
            switch settings.mode {
            case .native: [.native]
            case .generic: [.generic]
            case .auto, .off: [.native, .generic]
            }
        do {
            try maps.fill(image)
            maps.flip()
            for interface in settings.interfaces {
                let attachment = try maps.attach(to: interface.name, modes: modes)
                attachments.append(attachment)
                report(attachment)
                if attachment.mode == nil, settings.mode != .auto {
                    throw StartupFailure(["fast path on \(interface.name): \(attachment.reason)"])
                }
            }
            for stray in try PinnedFastPath.standard.linkedInterfaces()
            where !settings.interfaces.contains(where: { $0.name == stray }) {
                try maps.detach(from: stray)
            }
            try maps.removeEarlier()
        } catch {
            rollBack()
            throw (error as? StartupFailure) ?? StartupFailure(["fast path: \(error)"])
        }
    }

    /// The slot that the next generation goes to; the registry writes its census before `publish`.
    var idleGeneration: Int { maps?.idleGeneration ?? 0 }

    /// How a model came to the program.
    enum Publication: Sendable {
        /// There is no fast path.
        case none
        /// Into the idle generation of the maps there are.
        case generation
        /// Into a program with larger maps, built beside; for the reason given.
        case program(String)
    }

    /// Makes the program answer from `image`: for a packet, all of it or nothing. Until `retire`, packets that came before
    /// may still be answered from the generation before.
    ///
    /// - Throws: when the kernel refuses; packets are answered as before then.
    func publish(_ image: FastPathImage) throws -> Publication {
        guard let maps else { return .none }
        guard let excess = maps.excess(of: image) else {
            try maps.fill(image)
            maps.flip()
            return .generation
        }
        try replaceProgram(maps, image)
        return .program("\(excess)")
    }

    /// Builds a program with room for `image` beside the one that runs, and gives it the links. Node words and counters
    /// are those of both.
    private func replaceProgram(_ earlier: FastPathMaps, _ image: FastPathImage) throws {
        let next = try FastPathMaps(sizedFor: image, replacing: earlier)
        var taken: [Attachment] = []
        do {
            try next.fill(image)
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

    /// Waits until the generation before is read by no packet, and frees it.
    func retire() throws { try maps?.retire() }

    /// What the program answers from; `nil` without one.
    var image: FastPathImage? { maps?.image }

    /// Keeps the program's clock, notes interfaces that went away, and attaches to those that came back.
    func lookAfter() {
        guard let maps else { return }
        maps.setClock()
        for (index, attachment) in attachments.enumerated() {
            let interface = attachment.interface
            if attachment.mode != nil, !maps.isAttached(to: interface) {
                lost.insert(interface)
                attachments[index] = Attachment(
                    interface: interface, mode: nil, reason: "the program is off: the interface went away")
                report(attachments[index])
            }
            guard lost.contains(interface), NetworkInterface(interface) != nil else { continue }
            // Refused again and again is said once: the interface is not lost any more.
            lost.remove(interface)
            do { attachments[index] = try maps.attach(to: interface, modes: modes) } catch {
                attachments[index] = Attachment(interface: interface, mode: nil, reason: "\(error)")
            }
            report(attachments[index])
        }
    }

    private func report(_ attachment: Attachment) {
        let metadata: Logger.Metadata = ["interface": "\(attachment.interface)", "reason": "\(attachment.reason)"]
        switch attachment.mode {
        case .native: logger.info("fast path attached natively", metadata: metadata)
        case .generic: logger.notice("fast path attached generically", metadata: metadata)
        case nil: logger.warning("no fast path on this interface", metadata: metadata)
        }
    }

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

    /// The words a pinned program of an earlier run holds.
    static func earlierWords() throws -> [UInt64: UInt64] { try FastPathMaps.earlierWords() }

    /// Unpins a program that never came to be attached.
    func discard() {
        guard let maps else { return }
        try? maps.unpin()
        self.maps = nil
    }

    /// Takes the program off and unpins it.
    ///
    /// - Returns: what was removed, by path.
    @discardableResult
    func stop() -> [String] {
        guard maps != nil else { return [] }
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

/// Why the daemon cannot start: every reason found, in the user's words.
struct StartupFailure: Error, CustomStringConvertible {
    let problems: [String]

    init(_ problems: [String]) { self.problems = problems }

    var description: String { problems.joined(separator: "\n") }
}
