import BPFRuntime
import ConfigurationModel
import FastPathDriver
import FastPathPlan
import Logging

/// A program in the kernel at the start, with what it took over from the one before, or the reason why there is none.
struct LoadedProgram {
    /// `nil` while a predecessor has it.
    private(set) var lock: FolderLock?
    private(set) var adopted: AdoptableState?
    private(set) var maps: FastPathMaps?
    /// Why there is no program.
    private(set) var obstacle: String?

    /// Loads the program, unless it is switched off or cannot be had.
    ///
    /// - Parameter isTakeover: a predecessor has the lock, and changes nothing any more.
    /// - Throws: when a mode was asked for by name and cannot be had, or another daemon has the fast path.
    init(
        _ settings: FastPathSettings, _ image: FastPathImage, isTakeover: Bool, _ logger: Logger
    ) throws(StartupFailure) {
        if settings.isOff {
            obstacle = settings.interfaces.isEmpty ? "fast_path names no interface" : "switched off by fast_path.mode"
        } else {
            do {
                if let refusal = BPFSupport.probe() {
                    obstacle = "\(refusal)"
                } else {
                    try load(image, isTakeover: isTakeover, logger)
                }
            } catch let failure as StartupFailure { throw failure } catch { obstacle = "\(error)" }
            if let obstacle, settings.mode != .auto {
                throw StartupFailure(["fast path: mode \(settings.mode.rawValue) was asked for, but \(obstacle)"])
            }
        }
        guard let obstacle else { return }
        lock = isTakeover ? nil : try Self.removeLeftovers(logger)
        logger.notice("no fast path: user space answers everything", metadata: ["reason": "\(obstacle)"])
    }

    private mutating func load(_ image: FastPathImage, isTakeover: Bool, _ logger: Logger) throws {
        let lock = isTakeover ? nil : try PinnedFastPath.standard.lock()
        guard lock != nil || isTakeover else { throw StartupFailure.pinsAreHeld }
        var found: AdoptableState?
        do { found = try AdoptableState(of: .standard, for: image) } catch {
            logger.warning("cannot read the node states of an earlier run", metadata: ["error": "\(error)"])
        }
        maps = try FastPathMaps(sizedFor: image, adopting: found)
        (self.lock, adopted) = (lock, found)
        guard let found else { return }
        logger.info(
            "taking over from the program of an earlier run",
            metadata: [
                "states": "\(found.states.count)", "words": "\(found.sharesWords ? "shared" : "copied")",
                "counters": "\(found.sharesCounters ? "shared" : "new")",
            ])
    }

    /// Removes a program of an earlier run that still answers, when this run has none: it would not learn of changes. What
    /// another daemon holds stays.
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
}
