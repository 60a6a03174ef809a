import Glibc

/// A lock on a folder, held by one process at a time; the kernel releases it when the process ends, however it ends.
public final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock on the folder at `path`; nil when another process holds it.
    public init?(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BPFError(call: "open \(path)", errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        let reason = errno
        guard reason == EWOULDBLOCK else { throw BPFError(call: "flock \(path)", errno: reason) }
        return nil
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
