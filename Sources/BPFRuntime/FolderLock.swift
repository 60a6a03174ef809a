import Glibc
import LinuxSupport
import SystemPackage

/// A lock on a folder, held by one process at a time. The kernel releases it when the process ends, in whatever way.
public final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Locks the folder at `path`. Nil when another process holds the lock.
    public init?(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last("open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        let failure = SystemError.last("flock \(path)")
        guard failure.errno == .wouldBlock else { throw failure }
        return nil
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
